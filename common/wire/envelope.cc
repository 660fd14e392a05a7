#include "common/wire/envelope.h"

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>

#include "schema/replication.capnp.h"

namespace feeds::wire {
namespace {

using capnp::rpc::Message;

constexpr std::uint16_t kFrameMethod = 0;  // of Sink

bool says_nothing(capnp::rpc::Return::Reader answer) {
  if (!answer.isResults()) return false;
  const auto content = answer.getResults().getContent();
  const auto size = content.targetSize();
  return size.wordCount == 0 && size.capCount == 0;
}

}  // namespace

Envelope envelope_of(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  capnp::SegmentArrayMessageReader reader(segments);
  const auto message = reader.getRoot<Message>();
  Envelope envelope;
  if (message.isFinish()) {
    envelope.can_wait = true;
  } else if (message.isReturn()) {
    envelope.can_wait = says_nothing(message.getReturn());
  } else if (message.isCall()) {
    const auto call = message.getCall();
    envelope.of_sink = call.getInterfaceId() == capnp::typeId<Sink>();
    if (envelope.of_sink && call.getMethodId() == kFrameMethod) {
      const auto params = call.getParams().getContent().getAs<Sink::FrameParams>();
      envelope.until = params.getFrame().getHead();
    }
  }
  return envelope;
}

}  // namespace feeds::wire
