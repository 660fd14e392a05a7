#include "common/store/database_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdarg>

#include "common/base/log.h"
#include "common/keys/keyspace.h"
#include "common/store/log_files.h"
#include "common/store/merge_pacer.h"

namespace feeds::store {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

// RocksDB's own log, into ours. On a full disk a LOG file beside the data would abort the process.
class ForwardingLogger : public rocksdb::Logger {
 public:
  ForwardingLogger() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using Logger::Logv;

  void Logv(const char* format, va_list arguments) override {
    Logv(rocksdb::InfoLogLevel::INFO_LEVEL, format, arguments);
  }
  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    // Its warnings are about what it was asked for; errors are ours to know.
    if (level < rocksdb::InfoLogLevel::ERROR_LEVEL) return;
    std::array<char, 512> line;
    const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
    if (length <= 0) return;
    const auto used = std::min(line.size() - 1, static_cast<std::size_t>(length));
    log::warn("rocksdb", {{"message", std::string_view(line.data(), used)}});
  }
};

class HintPrefix : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "feeds.hint_prefix"; }
  bool InDomain(const rocksdb::Slice& key) const override { return !Transform(key).empty(); }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    const auto prefix = keys::hint_prefix({key.data(), key.size()});
    return {prefix.data(), prefix.size()};
  }
};

rocksdb::BlockBasedTableOptions table_options() {
  rocksdb::BlockBasedTableOptions table;
  // A page of 50 articles of 150 bytes is one or two blocks; 4 KiB blocks measured 0.66 of this.
  table.block_size = 16 * 1024;
  // Shared by all databases of the process, so that a snapshot swap does not double it. Sharded:
  // with one shard two reading threads measured 1.30 instead of 1.79 of one.
  static const auto cache = rocksdb::NewLRUCache(256 * kMiB, 6);
  table.block_cache = cache;
  // Point look-ups of absent rows (existence checks of the commit path) read no block.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;
  return table;
}

void set_log_options(rocksdb::Options& options) {
  // A torn last record is an unanswered write and is dropped. Damage before it is damage: the open
  // fails and says so, where point-in-time recovery would silently drop what was acknowledged.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  // Replicas read the log: keep it beyond flushes. RocksDB's limits are late by minutes, so they
  // are out of reach here and purge_archived_wal() keeps `replication.retain_wal`.
  options.WAL_ttl_seconds = 0;
  options.WAL_size_limit_MB = std::uint64_t{1} << 40;
  // What breaks tailing (empty logs with wrong starts, unseen updates) is off, also by default.
  options.wal_compression = rocksdb::kNoCompression;
  options.manual_wal_flush = false;
  options.recycle_log_file_num = 0;
}

void set_memory_options(rocksdb::Options& options) {
  // Small write buffers mean small log files: an iterator that has to be made again in the middle of
  // one scans it from its head (11 ms at 8 MiB, 105 to 250 ms at 64 MiB).
  options.write_buffer_size = 16 * kMiB;
  options.max_write_buffer_number = 4;
  // Look-ups of rows that are not in a write buffer do not search it.
  options.memtable_prefix_bloom_size_ratio = 0.02;
  options.memtable_whole_key_filtering = true;
  // One writer. Rows of one feed arrive in key order, and a hint per feed saves the skip list's
  // search: 1.3 to 1.7 times the write rate. A hint takes some 250 bytes of the write buffer, so keys
  // that would each have one of their own have none. Hints and concurrent inserts exclude each other.
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  options.memtable_insert_with_hint_prefix_extractor = std::make_shared<HintPrefix>();
}

void set_background_options(rocksdb::Options& options) {
  options.max_background_jobs = 2;
  options.level_compaction_dynamic_level_bytes = true;
  // Every sorted run costs each page a seek: two flushed write buffers are merged down. A page after
  // a load of a million articles costs about a fifth less than with RocksDB's four.
  options.level0_file_num_compaction_trigger = 2;
  // Not in the middle of a load: it gets fewer and larger merges. With eight, an activity costs a third less CPU
  // time than with two; writes are slowed down at 20 files. The pause is longer than the 4 s within which a write
  // buffer that nobody writes to any more is flushed, so that what a load leaves behind is merged with that.
  static const auto files =
      rocksdb::NewCompositeEnv(std::make_shared<LogFiles>(rocksdb::FileSystem::Default()));
  static MergePacer pacer(files.get(), {.pause = std::chrono::seconds(5), .flushes = 8});
  options.env = &pacer;
  // Blocks are cached decompressed: pages cost the same, compactions write less.
  options.compression = rocksdb::kLZ4Compression;
  // Spread the writeback of flushes, so that a commit's sync does not wait for megabytes of theirs.
  options.bytes_per_sync = 1 * kMiB;
  // Letting go of an iterator on an io thread never deletes files there.
  options.avoid_unnecessary_blocking_io = true;
  // After an error the database is closed and reopened under our control, never resumed: on 7.8 a
  // resume after a full disk leaves writes failing.
  options.max_bgerror_resume_count = 0;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
}

}  // namespace

rocksdb::Options database_options(bool create) {
  rocksdb::Options options;
  options.create_if_missing = create;
  options.info_log = std::make_shared<ForwardingLogger>();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options()));
  set_log_options(options);
  set_memory_options(options);
  set_background_options(options);
  return options;
}

}  // namespace feeds::store
