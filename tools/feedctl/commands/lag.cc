#include <fmt/format.h>

#include "tools/feedctl/history.h"
#include "tools/feedctl/printer.h"
#include "tools/feedctl/watch.h"

namespace feeds::feedctl {
namespace {

void add_row(Table& table, std::vector<std::string> cells, const std::string& key,
             std::optional<std::uint64_t> lag_ms, History* history) {
  if (history) cells.push_back(history->add(key, lag_ms));
  table.add(std::move(cells));
}

// A node as it sees itself, then its peers as it sees them.
std::string render(const std::vector<std::string>& urls, const Answers& answers, History* history) {
  std::vector<std::string> heads = {"NODE", "ROLE", "STATE", "POSITION", "LAG", "BEHIND"};
  if (history) heads.push_back("LATELY");
  Table table(heads);
  const std::string unknown(kUnknown);
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!answers[i]) {
      if (history) history->add(urls[i], std::nullopt);
      table.add({urls[i], unknown, "unreachable"});
      continue;
    }
    const NodeStatus& node = *answers[i];
    add_row(table,
            {urls[i], cell(node.role), cell(node.state), cell(node.position), lag_text(node.lag_ms),
             cell(behind(node))},
            urls[i], node.lag_ms, history);
    for (const PeerStatus& peer : node.peers) {
      const std::string key = urls[i] + " " + cell(peer.node_id);
      add_row(table,
              {"  to " + cell(peer.advertise), "peer", cell(peer.state), cell(peer.position),
               lag_text(peer.lag_ms), cell(peer.lag_sequences)},
              key, peer.lag_ms, history);
    }
  }
  return table.text() + render_unreachable(urls, answers);
}

}  // namespace

void add_lag(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("lag", "How far each node is behind, in its own eyes and the primary's.");
  add_watch_command(*command, action, [](bool watch) -> Renderer {
    auto history = watch ? std::make_shared<History>() : nullptr;
    return [history](const auto& urls, const auto& answers) {
      return render(urls, answers, history.get());
    };
  });
}

}  // namespace feeds::feedctl
