#pragma once

#include <rocksdb/options.h>

namespace feeds::store {

// RocksDB's options for every open, each with its reason. Private to common/store.
rocksdb::Options database_options(bool create);

}  // namespace feeds::store
