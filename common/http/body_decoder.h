#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace feeds::http {

// Decodes the body of one message, of a known length or chunked, piece by piece. Trailers are
// dropped. Pure: no socket.
class BodyDecoder {
 public:
  enum class State : std::uint8_t { kMore, kDone, kBad, kTooLarge };

  void expect_nothing();
  void expect_length(std::uint64_t length);
  void expect_chunks();

  // Takes what belongs to the body from the front of `in`, and appends its content to `out` if
  // that is not null. kTooLarge as soon as a chunk is announced that leads past `limit` bytes.
  // After kBad or kTooLarge nothing is taken any more.
  State consume(std::string_view& in, std::string* out, std::size_t limit);

  bool done() const { return state_ == State::kDone; }

 private:
  enum class Part : std::uint8_t {
    kLength,
    kSize,
    kExtension,
    kSizeEnd,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerEnd,
    kLastLf
  };

  State consume_data(std::string_view& in, std::string* out);
  State consume_char(char c, std::size_t limit);
  State start_chunk(std::size_t limit);

  State state_ = State::kDone;
  Part part_ = Part::kLength;
  std::uint64_t remaining_ = 0;  // of the body, or of the chunk
  std::uint64_t total_ = 0;      // of all chunks announced
  int size_digits_ = 0;
  std::size_t line_bytes_ = 0;  // of the extensions of a chunk, or of all trailers
};

}  // namespace feeds::http
