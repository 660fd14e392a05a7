#pragma once

#include <gtest/gtest.h>

#include "tests/api/api.h"
#include "tests/api/node.h"

namespace feeds::test {

// A primary and a replica that all tests share, with a connection to each. Tests make feeds and
// users of their own, and start a node of their own where they need to know everything that is in
// it.
class ApiTest : public ::testing::Test {
 protected:
  static Node& primary_node();
  static Node& replica_node();

  // What the replica answers at or past the primary's present position.
  RawReply from_replica(std::string_view method, std::string_view target,
                        std::string_view body = {});
  // Asks both at one position, expects the same reply (status, body, media type, Link, position),
  // and gives the primary's.
  RawReply both(std::string_view method, std::string_view target, std::string_view body = {});
  RawReply both(std::string_view target) { return both("GET", target); }
  // The position of the primary, for "nothing was written".
  std::uint64_t position();

  Api primary{primary_node().http()};
  Api replica{replica_node().http()};
};

}  // namespace feeds::test
