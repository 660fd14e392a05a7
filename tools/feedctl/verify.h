#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/feedctl/client.h"
#include "tools/feedctl/digest.h"

// Whether nodes hold the same at the same position.
namespace feeds::feedctl {

// Pins one and the same position on all nodes and gives what each holds there, in their order.
// It asks for the primary's present position, which succeeds where writes pause; if a node is
// already past it, for one slightly ahead; and for the present one again if that is not reached.
// Without a primary among them the node that is furthest stands for it.
// Error: a node does not answer, they are of different clusters, or no position could be agreed on
// within `patience`.
Result<std::vector<NodeDigest>> pin_all(std::vector<Client>& clients,
                                        std::chrono::milliseconds patience);

// The first row of a space in which two nodes differ; nullopt: the node has none from there on.
struct Difference {
  std::optional<std::string> left, right;  // keys as printed; equal: the values differ
};

// Narrows by halving. Error: a node failed or its pin ended; nullopt: no difference after all.
Result<std::optional<Difference>> find_difference(Client& left, Client& right, Position at,
                                                  std::string_view space);

struct Verdict {
  bool equal = false;  // and none violates its invariants
  std::string text;    // lines for people
};

// Compares the nodes, and asks each for what its own walk over its indexes finds wrong.
// Error: could not be compared.
Result<Verdict> verify(std::vector<Client>& clients, std::chrono::milliseconds patience);

// Walks the indexes of a data directory, which a node may be using. Error: it cannot be read.
Result<Verdict> verify_data(const std::string& data);

}  // namespace feeds::feedctl
