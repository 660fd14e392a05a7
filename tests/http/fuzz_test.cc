#include <cstdlib>
#include <random>

#include "tests/http/toy_server.h"

// Mutated requests: whatever comes, the server stays alive and never blames itself.
namespace feeds::test {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> kSeeds = {
      "GET /hello HTTP/1.1\r\nHost: toy\r\n\r\n",
      "HEAD /big?bytes=100 HTTP/1.1\r\nHost: toy\r\nConnection: keep-alive\r\n\r\n",
      "GET /things/a%2Fb/%C3%A9?x=%26&y=+ HTTP/1.1\r\nHost: toy\r\nOrigin: http://a\r\n\r\n",
      "GET http://toy/query?x=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "OPTIONS /json HTTP/1.1\r\nHost: toy\r\nAccess-Control-Request-Method: POST\r\n\r\n",
      "POST /text HTTP/1.1\r\nHost: toy\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Content-Length: 5\r\n\r\nhello",
      "POST /json HTTP/1.1\r\nHost: toy\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\nT: x\r\n\r\n",
      "POST /maybe HTTP/1.1\r\nHost: toy\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
      "PUT /moved HTTP/1.1\r\nHost: toy\r\nContent-Length: 3\r\n\r\nabc",
      "DELETE /things/7 HTTP/1.1\r\nHost: toy\r\nFeeds-Min-Position: 1-5\r\n\r\n",
      "GET /stream?chunks=3&bytes=10 HTTP/1.1\r\nHost: toy\r\n\r\n"};
  return kSeeds;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  std::string make() {
    std::string text;
    const std::size_t parts = 1 + below(3);
    for (std::size_t i = 0; i < parts; ++i) text += seeds()[below(seeds().size())];
    const std::size_t changes = below(8);
    for (std::size_t i = 0; i < changes && !text.empty(); ++i) change(text);
    return text;
  }

 private:
  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, 1 + below(4), static_cast<char>(random_()));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      case 4:
        text.resize(at);
        break;
      case 5:
        text.insert(at, "\r\n");
        break;
      case 6:
        text.insert(at, below(200) == 0 ? std::string(20'000, 'a') : "%");
        break;
      default: {
        static const std::vector<std::string> kWords = {"Content-Length: 3\r\n",
                                                        "Transfer-Encoding: chunked\r\n",
                                                        "Connection: close\r\n",
                                                        "Content-Length: 99999999\r\n",
                                                        "0\r\n\r\n",
                                                        "Host: x\r\n",
                                                        "Expect: 100-continue\r\n",
                                                        "ffffffffffffffff\r\n",
                                                        "Content-Encoding: gzip\r\n",
                                                        std::string(3, '\0')};
        text.insert(at, kWords[below(kWords.size())]);
      }
    }
  }

  std::mt19937_64 random_;
};

TEST(Fuzz, MutatedRequests_NeverGetA500NorStopTheServer) {
  const char* given = std::getenv("FEEDS_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("FEEDS_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Mutator mutator(seed);
  ToyServer toy([](http::ServerOptions& options) { options.threads = 2; });
  for (int i = 0; i < 10'000; ++i) {
    RawClient client = toy.connect();
    ASSERT_TRUE(client.connected()) << i;
    const std::string text = mutator.make();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = mutator.below(3) == 0 ? 1 + mutator.below(20) : text.size();
      if (!client.send(std::string_view(text).substr(at, size))) break;
      at += size;
    }
    switch (mutator.below(8)) {
      case 0:
        client.reset();
        break;
      case 1:
        break;
      default:
        client.shutdown_send();
        client.read_to_end();
    }
  }
  for (const auto& reply : toy.observer().replies()) ASSERT_NE(reply.status, 500) << reply.pattern;
  EXPECT_GT(toy.observer().replies().size(), 1000u);
  EXPECT_EQ(toy.get("/hello").status, 200);
  EXPECT_TRUE(eventually([&] { return toy.observer().open() == 0; }));
}

}  // namespace
}  // namespace feeds::test
