#include "common/http/body_decoder.h"

#include <algorithm>

#include "common/base/limits.h"

namespace feeds::http {
namespace {

// Enough for any body that is within the limit; more digits would overflow in the end.
constexpr int kMaxSizeDigits = 15;
constexpr std::size_t kMaxExtensionBytes = 4096;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void BodyDecoder::expect_nothing() {
  state_ = State::kDone;
}

void BodyDecoder::expect_length(std::uint64_t length) {
  state_ = length == 0 ? State::kDone : State::kMore;
  part_ = Part::kLength;
  remaining_ = length;
}

void BodyDecoder::expect_chunks() {
  state_ = State::kMore;
  part_ = Part::kSize;
  remaining_ = 0;
  total_ = 0;
  size_digits_ = 0;
  line_bytes_ = 0;
}

BodyDecoder::State BodyDecoder::consume(std::string_view& in, std::string* out, std::size_t limit) {
  while (state_ == State::kMore && !in.empty()) {
    if (part_ == Part::kLength || part_ == Part::kData) {
      state_ = consume_data(in, out);
    } else {
      state_ = consume_char(in.front(), limit);
      in.remove_prefix(1);
    }
  }
  return state_;
}

BodyDecoder::State BodyDecoder::consume_data(std::string_view& in, std::string* out) {
  const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, in.size()));
  if (out != nullptr) out->append(in.data(), take);
  in.remove_prefix(take);
  remaining_ -= take;
  if (remaining_ > 0) return State::kMore;
  if (part_ == Part::kLength) return State::kDone;
  part_ = Part::kDataCr;
  return State::kMore;
}

BodyDecoder::State BodyDecoder::start_chunk(std::size_t limit) {
  if (size_digits_ == 0) return State::kBad;
  total_ += remaining_;
  if (total_ > limit) return State::kTooLarge;
  line_bytes_ = 0;
  part_ = remaining_ == 0 ? Part::kTrailerStart : Part::kData;
  return State::kMore;
}

BodyDecoder::State BodyDecoder::consume_char(char c, std::size_t limit) {
  switch (part_) {
    case Part::kSize:
      if (const int digit = hex_value(c); digit >= 0) {
        if (++size_digits_ > kMaxSizeDigits) return State::kBad;
        remaining_ = remaining_ * 16 + static_cast<unsigned>(digit);
        return State::kMore;
      }
      if (size_digits_ == 0) return State::kBad;
      if (c == '\r') {
        part_ = Part::kSizeEnd;
      } else if (c == ';' || c == ' ' || c == '\t') {
        part_ = Part::kExtension;
      } else {
        return State::kBad;
      }
      return State::kMore;
    case Part::kExtension:
      if (c == '\r') {
        part_ = Part::kSizeEnd;
      } else if (c == '\n' || ++line_bytes_ > kMaxExtensionBytes) {
        return State::kBad;
      }
      return State::kMore;
    case Part::kSizeEnd:
      return c == '\n' ? start_chunk(limit) : State::kBad;
    case Part::kDataCr:
      part_ = Part::kDataLf;
      return c == '\r' ? State::kMore : State::kBad;
    case Part::kDataLf:
      part_ = Part::kSize;
      remaining_ = 0;
      size_digits_ = 0;
      return c == '\n' ? State::kMore : State::kBad;
    case Part::kTrailerStart:
      part_ = c == '\r' ? Part::kLastLf : Part::kTrailer;
      return c == '\n' ? State::kBad : State::kMore;
    case Part::kTrailer:
      if (c == '\r') {
        part_ = Part::kTrailerEnd;
      } else if (c == '\n' || ++line_bytes_ > limits::kRequestHeadBytes) {
        return State::kBad;
      }
      return State::kMore;
    case Part::kTrailerEnd:
      part_ = Part::kTrailerStart;
      return c == '\n' ? State::kMore : State::kBad;
    case Part::kLastLf:
      return c == '\n' ? State::kDone : State::kBad;
    case Part::kLength:
    case Part::kData:
      break;
  }
  return State::kBad;
}

}  // namespace feeds::http
