#pragma once

#include <cstdint>
#include <functional>

#include "common/base/guarded.h"
#include "tools/feedctl/writer.h"

namespace feeds::feedctl {

// Writers side by side. One thread's, which waits for them.
class Crew {
 public:
  using Work = std::function<Status(Writer& writer, std::uint64_t index)>;

  Crew(const Url& url, std::uint64_t connections) : url_(url), connections_(connections) {}

  // Runs work(i) for i in [0, count) on several connections. The first error stops the others.
  Status run(std::uint64_t count, const Work& work);

  StopSignal& stop() { return stop_; }

 private:
  void fail(const Error& error);

  Url url_;
  std::uint64_t connections_;
  StopSignal stop_;
  Guarded<std::optional<Error>> error_;
};

}  // namespace feeds::feedctl
