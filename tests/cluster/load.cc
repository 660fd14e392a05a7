#include "tests/cluster/load.h"

#include <gtest/gtest.h>

namespace feeds::test {

Load::Load(std::string address, std::vector<std::uint64_t> feeds, std::size_t writers,
           std::size_t text_bytes)
    : address_(std::move(address)),
      feeds_(std::move(feeds)),
      writers_(writers),
      text_bytes_(text_bytes) {}

void Load::start(std::uint64_t each) {
  stopping_ = false;
  for (std::size_t writer = 0; writer < writers_; ++writer) {
    threads_.emplace_back([this, writer, each] { write(writer, each); });
  }
}

void Load::stop() {
  stopping_ = true;
  join();
}

void Load::join() {
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void Load::write(std::size_t writer, std::uint64_t each) {
  HttpClient client(address_);
  const auto feed = feeds_[writer % feeds_.size()];
  const auto target = "/v1/feeds/" + std::to_string(feed);
  for (std::uint64_t done = 0; !stopping_ && (each == 0 || done < each);) {
    std::string text = "article-" + std::to_string(++serial_) + "-";
    if (text.size() < text_bytes_) text += noise(text_bytes_ - text.size(), serial_);
    {
      std::lock_guard lock(mutex_);
      sent_[feed].insert(text);
    }
    const auto reply = client.post(target, text);
    const auto id = created_id(reply);
    {
      std::lock_guard lock(mutex_);
      if (id != 0) {
        acknowledged_[feed][id] = text;
        position_ = reply.position();
      } else {
        ++refusals_[reply.code().empty() ? std::to_string(reply.status) : reply.code()];
      }
    }
    if (id != 0) {
      ++done;
      ++answered_;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

bool Load::wait_for(std::uint64_t more, std::chrono::milliseconds time) {
  const auto until = answered_ + more;
  return eventually([&] { return answered_ >= until; }, time, std::chrono::milliseconds(1));
}

std::map<std::string, std::uint64_t> Load::refusals() const {
  std::lock_guard lock(mutex_);
  return refusals_;
}

std::string Load::position() const {
  std::lock_guard lock(mutex_);
  return position_;
}

void Load::expect_all_on(TestNode& node) const {
  std::lock_guard lock(mutex_);
  auto client = node.client();
  for (const auto& [feed, sent] : sent_) {
    const auto articles = all_articles(*client, feed);
    auto unseen = sent;
    std::uint64_t expected = 10000;
    std::map<std::uint64_t, std::string> by_id;
    for (const auto& [id, text] : articles) {
      ASSERT_EQ(id, expected++) << "feed " << feed;
      ASSERT_EQ(unseen.erase(text), 1u) << "feed " << feed << ", article " << id << ": " << text;
      by_id[id] = text;
    }
    const auto answered = acknowledged_.find(feed);
    if (answered == acknowledged_.end()) continue;
    for (const auto& [id, text] : answered->second) {
      ASSERT_EQ(by_id.count(id), 1u) << "feed " << feed << " lost article " << id;
      ASSERT_EQ(by_id[id], text) << "feed " << feed << ", article " << id;
    }
  }
}

std::string noise(std::size_t bytes, std::uint64_t seed) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::mt19937_64 random(seed);
  std::string text;
  text.reserve(bytes);
  for (std::uint64_t bits = 0, left = 0; text.size() < bytes; bits >>= 6, --left) {
    if (left == 0) {
      bits = random();
      left = 10;
    }
    text += kLetters[bits & 63];
  }
  return text;
}

void expect_equal(TestCluster& cluster, double snapshots) {
  ASSERT_TRUE(cluster.level());
  const auto verified = cluster.verify();
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    EXPECT_EQ(cluster.replica(i).resyncs(), snapshots) << "replica " << i + 1;
  }
}

void post_many(const std::string& address, const std::string& target, std::uint64_t count,
               std::size_t reply_bytes, const std::function<std::string(std::uint64_t)>& body) {
  constexpr std::uint64_t kConnections = 8;
  // What is on its way must fit into socket buffers, or both sides wait.
  const std::uint64_t pipelined = std::clamp<std::uint64_t>(64 * 1024 / (reply_bytes + 1), 1, 64);
  std::atomic<std::uint64_t> taken{0};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kConnections; ++i) {
    threads.emplace_back([&, i] {
      HttpClient client(address);
      std::uint64_t left = count / kConnections + (i < count % kConnections ? 1 : 0);
      while (left > 0) {
        const auto now = std::min(left, pipelined);
        for (std::uint64_t n = 0; n < now; ++n) {
          client.send("POST", target, body(i * count + left - n));
        }
        for (std::uint64_t n = 0; n < now; ++n) {
          if (client.receive().status == 201) ++taken;
        }
        left -= now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(taken, count);
}

void publish_many(const std::string& address, std::uint64_t feed, std::uint64_t count,
                  std::size_t text_bytes) {
  post_many(address, "/v1/feeds/" + std::to_string(feed), count, text_bytes,
            [&](std::uint64_t serial) { return noise(text_bytes, serial); });
}

}  // namespace feeds::test
