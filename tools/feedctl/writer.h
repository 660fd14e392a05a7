#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "tools/feedctl/client.h"

namespace feeds::feedctl {

// Ends waits of many threads at once. Thread-safe.
class StopSignal {
 public:
  void stop();
  bool stopped() const;
  // False if it was stopped before `time` had passed.
  bool wait(std::chrono::milliseconds time);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

// Writes to a cluster: follows a replica's redirect to the primary, and sends again what was
// answered 503 with Retry-After (nothing was written then), for at most `patience` a request.
// One thread a writer.
class Writer {
 public:
  Writer(Client client, StopSignal& stop, std::chrono::milliseconds patience);

  // Where writes go: the given node or, after a redirect, the primary.
  const Url& url() const { return client_.url(); }

  // The reply of status 200 or 201. Error: any other, or none; the detail is whole.
  Result<Reply> post(const std::string& target, std::string_view body = {},
                     std::string_view type = {});
  // The same, of a resource that answers with its `id`.
  Result<std::uint64_t> create(const std::string& target, std::string_view body = {},
                               std::string_view type = {});
  // The same of one whose id is a text.
  Result<std::string> create_text(const std::string& target, std::string_view body,
                                  std::string_view type);

 private:
  Client client_;
  StopSignal& stop_;
  std::chrono::milliseconds patience_;
};

}  // namespace feeds::feedctl
