#include "common/feeds/reaction.h"

#include <fmt/format.h>

#include "common/feeds/activity_list.h"

namespace feeds {
namespace {

Status require(store::View& view, const PendingDeletions& pending, ActivityId activity) {
  if (!pending.touch_activities()) {
    if (!view.find(keys::activity_key(activity))) return no_such_activity(activity);
    return done();
  }
  store::ViewReader reader(view);
  const auto found = find_activity(reader, pending, activity);
  if (!found) return found.error();
  if (!*found) return no_such_activity(activity);
  return done();
}

// Only if something is pending: without, the rows say it all.
Keep keep_if_pending(const PendingDeletions& pending, Keep keep) {
  return pending.touch_activities() ? std::move(keep) : nullptr;
}

// The nested reactions of one reply, in one list, level after level.
class Tree {
 public:
  Tree(store::View& view, const PendingDeletions& pending) : view_(view), pending_(pending) {}

  Status read(const ReactionsRequest& request) {
    auto status = fill(root_, request.activity, request.page);
    std::size_t begin = 0;
    for (int level = 1; status && level < request.depth; ++level) {
      const std::size_t end = nodes_.size();
      for (std::size_t at = begin; status && at < end; ++at) {
        // The list grows meanwhile, so what is filled is kept apart from it.
        Children children;
        status = fill(children, nodes_[at].id, {limits::kNestedReactions, {}});
        nodes_[at].children = children;
      }
      begin = end;
    }
    return status;
  }

  void append(std::string& out) const {
    out += '{';
    append_children(out, root_);
    out += '}';
  }

 private:
  struct Children {
    std::size_t first = 0;
    std::size_t count = 0;
    std::optional<ActivityId> next;
  };
  struct Node {
    ActivityId id;
    std::string json;
    std::optional<Children> children;  // nullopt: below the depth asked for
  };

  Status fill(Children& children, ActivityId parent, const ActivityPageRequest& request) {
    children.first = nodes_.size();
    const auto limit = std::min(request.limit, limits::kReplyReactions - nodes_.size());
    ActivityRows rows(view_, pending_, keys::reactions_of(parent, request.before), skips_,
                      keep_if_pending(pending_, [parent](const Activity& reaction) {
                        return reaction.parent() == parent;
                      }));
    std::optional<ActivityId> shown;
    while (true) {
      std::string json;
      const auto more = rows.next(json);
      if (!more) return more.error();
      if (!*more) {
        if (rows.cut()) children.next = rows.resume();
        return done();
      }
      const auto id = rows.resume();
      const bool too_long = !nodes_.empty() && bytes_ + json.size() > limits::kPageBytes;
      if (children.count == limit || too_long) {
        children.next = shown.value_or(ActivityId{id.value + 1});
        return done();
      }
      shown = id;
      bytes_ += json.size();
      ++children.count;
      nodes_.push_back({id, std::move(json), std::nullopt});
    }
  }

  void append_children(std::string& out, const Children& children) const {
    out += "\"reactions\":[";
    for (std::size_t i = 0; i < children.count; ++i) {
      if (i > 0) out += ',';
      append_node(out, nodes_[children.first + i]);
    }
    out += "],";
    append_next(out, children.next);
  }

  void append_node(std::string& out, const Node& node) const {
    if (!node.children) {
      out += node.json;
      return;
    }
    out.append(node.json, 0, node.json.size() - 1);
    out += ',';
    append_children(out, *node.children);
    out += '}';
  }

  store::View& view_;
  const PendingDeletions& pending_;
  std::vector<Node> nodes_;
  Children root_;
  std::size_t bytes_ = 0;
  std::uint64_t skips_ = limits::kSkippedRows;
};

}  // namespace

Status append_reaction(store::View& view, const PendingDeletions& pending, ActivityId reaction,
                       std::string& out) {
  store::ViewReader reader(view);
  const auto found = find_activity(reader, pending, reaction);
  if (!found) return found.error();
  if (!*found) return no_such_activity(reaction);
  if (!(*found)->reaction()) {
    return Error{Code::kNotAReaction, fmt::format("activity {} is not a reaction", reaction.value)};
  }
  out += to_json(**found);
  return done();
}

Status append_reactions(store::View& view, const PendingDeletions& pending,
                        const ReactionsRequest& request, std::string& out) {
  if (auto there = require(view, pending, request.activity); !there) return there;
  const auto range = keys::reactions_of(request.activity, request.page.before);
  if (request.depth == 1) {
    return append_activity_list(
        view, pending, range, request.page.limit, "reactions", out,
        keep_if_pending(pending, [parent = request.activity](const Activity& reaction) {
          return reaction.parent() == parent;
        }));
  }
  Tree tree(view, pending);
  if (auto read = tree.read(request); !read) return read;
  tree.append(out);
  return done();
}

Status append_thread(store::View& view, const PendingDeletions& pending, ActivityId activity,
                     const ActivityPageRequest& request, std::string& out) {
  store::ViewReader reader(view);
  const auto found = find_activity(reader, pending, activity);
  if (!found) return found.error();
  if (!*found) return no_such_activity(activity);
  auto top = activity;
  if ((*found)->reaction()) {
    const auto thread = (*found)->top();
    if (!thread) {
      return Error{
          Code::kNoSuchActivity,
          fmt::format("the activity that topped the thread of {} is gone", activity.value)};
    }
    top = *thread;
    if (auto there = require(view, pending, top); !there) return there;
  }
  return append_activity_list(
      view, pending, keys::thread_of(top, request.before), request.limit, "reactions", out,
      keep_if_pending(pending, [top](const Activity& reaction) { return reaction.top() == top; }));
}

}  // namespace feeds
