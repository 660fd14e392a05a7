#pragma once

#include "common/wire/leash.h"
#include "replica/replication/session.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// The capabilities that a session offers to its source.
wire::Sink::Client sink_server(kj::Own<wire::Leash<LinkSession>> session);
wire::Pulse::Client pulse_server(kj::Own<wire::Leash<LinkSession>> session);

}  // namespace feeds::replication
