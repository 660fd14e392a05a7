// What a page costs RocksDB alone, in one process and one thread, without HTTP and without a socket: the limit of
// any server that scans it.
//   page-scan DIRECTORY FEEDS START SECONDS     DIRECTORY: a primary's database, which may be running
// Prints a page's CPU time in microseconds.
#include <rocksdb/db.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "common/keys/keyspace.h"
#include "common/store/database.h"

namespace {

using feeds::ArticleId;
using feeds::FeedId;
namespace keys = feeds::keys;

constexpr int kRows = 50;
constexpr int kPagesAtOnce = 1000;

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

rocksdb::Slice slice(const std::string& text) {
  return {text.data(), text.size()};
}

// The feed's own row and the articles, as cheaply as RocksDB's interface allows.
void read_page(rocksdb::DB& rocks, FeedId feed, ArticleId start, std::string& out) {
  out.clear();
  rocksdb::PinnableSlice row;
  const auto found =
      rocks.Get({}, rocks.DefaultColumnFamily(), slice(keys::feed_key(feed)), &row);
  if (!found.ok()) std::exit(1);
  out.append(row.data(), row.size());
  const auto end = keys::articles_of(feed).end;
  const auto bound = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> rows(rocks.NewIterator(options));
  int count = 0;
  for (rows->Seek(slice(keys::article_key(feed, start))); rows->Valid() && count < kRows;
       rows->Next()) {
    out.append(rows->value().data(), rows->value().size());
    ++count;
  }
  if (count != kRows) std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "page-scan DIRECTORY FEEDS START SECONDS\n");
    return 2;
  }
  const auto database = feeds::store::Database::open(arguments[1], feeds::store::Access::kReadOnly, false);
  if (!database) {
    std::fprintf(stderr, "%s\n", database.error().detail.c_str());
    return 1;
  }
  const ArticleId start{std::strtoull(arguments[3], nullptr, 10)};
  const double seconds = std::strtod(arguments[4], nullptr);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::uint64_t> feeds(
      feeds::kFirstId, feeds::kFirstId + std::strtoull(arguments[2], nullptr, 10) - 1);
  std::string page;
  const auto pages = [&](int wanted) {
    for (int i = 0; i < wanted; ++i) {
      read_page((*database)->rocks(), FeedId{feeds(random)}, start, page);
    }
  };
  pages(10 * kPagesAtOnce);  // a warm cache
  long read = 0;
  const double begin = cpu_seconds();
  for (; cpu_seconds() - begin < seconds; read += kPagesAtOnce) pages(kPagesAtOnce);
  std::printf("%.3f\n", (cpu_seconds() - begin) / static_cast<double>(read) * 1e6);
}
