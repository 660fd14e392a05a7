#pragma once

#include "common/feeds/digest.h"
#include "common/store/wal_tail.h"
#include "tests/support/committer_world.h"

namespace feeds::test {

// Everything that `world` ever committed, applied from its log to an empty database, makes the same
// database.
inline void expect_log_replays(CommitterWorld& world) {
  const TempDir directory;
  const auto source = *world.store().acquire();
  const auto head = source->head();
  auto target = *store::Database::open(directory.path() / "db", store::Access::kReadWrite, true);
  store::Writer applier(target);
  store::WalTail tail(source, target->head());
  store::CheckedBatch batch;
  while (target->head().position < head.position) {
    ASSERT_EQ(tail.next(head.position.sequence, batch), store::WalTail::Outcome::kBatch);
    ASSERT_EQ(store::follows(target->head(), batch), store::Continuity::kFollows);
    ASSERT_LE(batch.bytes.size(), limits::kBatchBytes);
    ASSERT_TRUE(applier.apply(batch).ok());
  }
  store::View mine(source);
  store::View theirs(target);
  for (const auto& info : keys::spaces()) {
    const auto a = digest_rows(mine, info.space, "", std::uint64_t(-1));
    const auto b = digest_rows(theirs, info.space, "", std::uint64_t(-1));
    ASSERT_EQ(a->digest, b->digest) << info.name;
  }
}

}  // namespace feeds::test
