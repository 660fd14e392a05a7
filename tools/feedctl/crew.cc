#include "tools/feedctl/crew.h"

#include <thread>

namespace feeds::feedctl {
namespace {

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr auto kPatience = std::chrono::seconds(60);

}  // namespace

Status Crew::run(std::uint64_t count, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < std::min(count, connections_); ++i) {
    threads.emplace_back([&] {
      Writer writer(Client(url_, kTimeout), stop_, kPatience);
      for (std::uint64_t index = next++; index < count && !stop_.stopped(); index = next++) {
        if (const Status status = work(writer, index); !status) fail(status.error());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto error = error_.copy();
  return error ? Status(*error) : done();
}

void Crew::fail(const Error& error) {
  error_.with([&](auto& first) {
    if (!first) first = error;
  });
  stop_.stop();
}

}  // namespace feeds::feedctl
