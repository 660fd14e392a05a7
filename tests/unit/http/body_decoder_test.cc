#include "common/http/body_decoder.h"

namespace feeds::http {
namespace {

using State = BodyDecoder::State;

struct Outcome {
  State state;
  std::string body;
  std::string rest;
};

// Decodes in pieces of `step` bytes.
Outcome decode(std::string_view wire, std::size_t step, std::size_t limit = 1000) {
  BodyDecoder decoder;
  decoder.expect_chunks();
  Outcome outcome{State::kMore, {}, {}};
  while (!wire.empty() && outcome.state == State::kMore) {
    std::string_view piece = wire.substr(0, step);
    const std::size_t before = piece.size();
    outcome.state = decoder.consume(piece, &outcome.body, limit);
    wire.remove_prefix(before - piece.size());
  }
  outcome.rest = wire;
  return outcome;
}

TEST(BodyDecoder, Chunks_DecodeAlikeInPiecesOfAnySize) {
  const std::string wire =
      "5\r\nhello\r\n00006;ext=\"a;b\"\r\n world\r\n0\r\nX-Trailer: 1\r\nContent-Length: "
      "9\r\n\r\nGET";
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    const Outcome outcome = decode(wire, step);
    EXPECT_EQ(outcome.state, State::kDone) << step;
    EXPECT_EQ(outcome.body, "hello world") << step;
    EXPECT_EQ(outcome.rest, "GET") << step;
  }
}

TEST(BodyDecoder, NoChunks_AreAnEmptyBody) {
  for (std::size_t step = 1; step <= 6; ++step) {
    const Outcome outcome = decode("0\r\n\r\n", step);
    EXPECT_EQ(outcome.state, State::kDone);
    EXPECT_EQ(outcome.body, "");
  }
}

TEST(BodyDecoder, MalformedChunks_AreBad) {
  for (const char* wire :
       {"\r\n", "x\r\n", "-1\r\n", "+5\r\nhello\r\n", "5\nhello", "5\r\nhelloX", "5\r\nhello\rX",
        "5 \nhello", "5\r\nhello\n", "0\r\n\n", "0\r\nT: 1\n\r\n", "0x5\r\nhello\r\n",
        "fffffffffffffffff\r\n", ";ext\r\n", "5;ext\n"}) {
    EXPECT_EQ(decode(wire, 1).state, State::kBad) << wire;
    EXPECT_EQ(decode(wire, 100).state, State::kBad) << wire;
  }
}

TEST(BodyDecoder, ChunkPastTheLimit_IsTooLargeBeforeItComes) {
  EXPECT_EQ(decode("3e9\r\n", 100).state, State::kTooLarge);
  EXPECT_EQ(decode("fffffffffffffff\r\n", 100).state, State::kTooLarge);
  EXPECT_EQ(decode("5\r\nhello\r\n6\r\n", 100, 10).state, State::kTooLarge);
  EXPECT_EQ(decode("5\r\nhello\r\n5\r\nhello\r\n0\r\n\r\n", 100, 10).state, State::kDone);
}

TEST(BodyDecoder, EndlessExtensionOrTrailers_AreBad) {
  EXPECT_EQ(decode("5;" + std::string(100'000, 'x'), 1000).state, State::kBad);
  std::string wire = "0\r\n";
  for (int i = 0; i < 10'000; ++i) wire += "T: 1\r\n";
  EXPECT_EQ(decode(wire, 1000).state, State::kBad);
}

TEST(BodyDecoder, Length_TakesThatManyBytes) {
  BodyDecoder decoder;
  decoder.expect_length(5);
  std::string body;
  std::string_view in = "hel";
  EXPECT_EQ(decoder.consume(in, &body, 1000), State::kMore);
  in = "loGET";
  EXPECT_EQ(decoder.consume(in, &body, 1000), State::kDone);
  EXPECT_EQ(body, "hello");
  EXPECT_EQ(in, "GET");
  decoder.expect_length(0);
  EXPECT_TRUE(decoder.done());
}

}  // namespace
}  // namespace feeds::http
