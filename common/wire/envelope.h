#pragma once

#include <capnp/common.h>

#include <cstdint>

namespace feeds::wire {

// What a connection must know of an RPC message to send it in time and no earlier.
struct Envelope {
  // Nobody waits for it: that a call is over, or was, with nothing else to say.
  bool can_wait = false;
  // A call of the sink. These keep their order; all else may overtake them, and must: heartbeats,
  // and what makes the number of a call free to be used again.
  bool of_sink = false;
  // A frame leaves only once its head is durable.
  std::uint64_t until = 0;
};

Envelope envelope_of(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

}  // namespace feeds::wire
