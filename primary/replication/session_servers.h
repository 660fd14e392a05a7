#pragma once

#include "common/wire/leash.h"
#include "primary/replication/session.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// The capabilities that a session offers to its replica.
wire::Source::Client bootstrap_server(kj::Own<wire::Leash<SourceSession>> session);
wire::Session::Client session_server(kj::Own<wire::Leash<SourceSession>> session);
wire::Pulse::Client pulse_server();

}  // namespace feeds::replication
