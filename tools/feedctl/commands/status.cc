#include <fmt/format.h>

#include "tools/feedctl/history.h"
#include "tools/feedctl/printer.h"
#include "tools/feedctl/watch.h"

namespace feeds::feedctl {
namespace {

std::string connected_peers(const NodeStatus& node) {
  if (node.peers.empty()) return std::string(kUnknown);
  const auto connected =
      std::count_if(node.peers.begin(), node.peers.end(),
                    [](const PeerStatus& peer) { return peer.connected == true; });
  return fmt::format("{} of {}", connected, node.peers.size());
}

std::string peer_table(const NodeStatus& node) {
  Table table({"  PEER", "STATE", "POSITION", "LAG", "BEHIND", "NODE ID"});
  for (const PeerStatus& peer : node.peers) {
    table.add({"  " + cell(peer.advertise), cell(peer.state), cell(peer.position),
               lag_text(peer.lag_ms), cell(peer.lag_sequences), cell(peer.node_id)});
  }
  return table.text();
}

std::string render(const std::vector<std::string>& urls, const Answers& answers, History* history) {
  std::vector<std::string> heads = {"NODE", "ROLE", "STATE", "POSITION",
                                    "HEAD", "LAG",  "PEERS", "PRIMARY"};
  if (history) heads.insert(heads.begin() + 6, "LATELY");
  Table table(heads);
  std::string below;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!answers[i]) {
      if (history) history->add(urls[i], std::nullopt);
      table.add({urls[i], std::string(kUnknown), "unreachable"});
      continue;
    }
    const NodeStatus& node = *answers[i];
    std::vector<std::string> cells = {
        urls[i],         cell(node.role),       cell(node.state),      cell(node.position),
        cell(node.head), lag_text(node.lag_ms), connected_peers(node), cell(node.primary)};
    if (history) cells.insert(cells.begin() + 6, history->add(urls[i], node.lag_ms));
    table.add(cells);
    if (!node.peers.empty()) below += fmt::format("\n{} sends to\n{}", urls[i], peer_table(node));
  }
  return table.text() + render_unreachable(urls, answers) + below;
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("status", "What each node is and how it does.");
  add_watch_command(*command, action, [](bool watch) -> Renderer {
    auto history = watch ? std::make_shared<History>() : nullptr;
    return [history](const auto& urls, const auto& answers) {
      return render(urls, answers, history.get());
    };
  });
}

}  // namespace feeds::feedctl
