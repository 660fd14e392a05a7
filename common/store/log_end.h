#pragma once

#include <cstdint>
#include <string_view>

namespace feeds::store {

struct LogEnd {
  std::uint64_t at = 0;
  bool damaged = false;  // what begins there cannot be read
};

// Where the records of a RocksDB log file end that was lengthened with zeros ahead of its end (log_files.h), and
// whose writer did not come to cut it: `log` is all of the file. What a power failure left of the last commit is
// behind the end; anything else that is no record is damage.
//
// A commit is one record, which takes part of one or several blocks of 32 KiB. A sync that did not finish may
// have left any of its sectors as the zeros that were there before. So from the first part that cannot be read on,
// this is torn: zeros alone, or zeros of a sector and more in it, or the file's end, with no further record after them.
LogEnd log_end(std::string_view log);

}  // namespace feeds::store
