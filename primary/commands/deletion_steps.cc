#include "primary/commands/deletion_steps.h"

#include <vector>

#include "common/keys/activity_keyspace.h"
#include "common/keys/keyspace.h"
#include "primary/commands/activity_rows.h"

namespace feeds::commands {
namespace {

constexpr std::size_t kChunk = 64;  // keys collected before anything is written

// One deletion being carried out in one group.
class Step {
 public:
  Step(commit::Group& group, const PendingDeletions& pending, const commit::DeletionBudget& budget)
      : group_(group), pending_(pending), budget_(budget) {}

  // True once nothing is left.
  Result<bool> run(const Deletion& deletion, commit::DeletionProgress& progress);

 private:
  using Row = std::function<Result<bool>(const std::string& key)>;

  Result<std::vector<std::string>> collect(const std::string& first, const std::string& end);
  Result<bool> each_row(const keys::Range& range, std::string& resume, const Row& row);
  // Works through ranges, one a phase.
  struct Phase {
    keys::Range range;
    Row row;
  };
  Result<bool> each_phase(const std::vector<Phase>& phases, int& phase, std::string& resume);

  Result<bool> erase_entries(FeedId feed, commit::DeletionProgress& progress);
  Result<bool> mark_reactions(ActivityId gone, int& phase, std::string& resume);
  Result<bool> mark(ActivityId gone, const std::string& key);
  Result<bool> delete_referrer(const Deletion& deletion, const std::string& key,
                               commit::DeletionProgress& progress);
  // The activity of a row of object_id_activities if it still refers to the deleted object.
  Result<std::optional<LoadedActivity>> referrer(const Deletion& deletion, const std::string& key);

  commit::Group& group_;
  const PendingDeletions& pending_;
  const commit::DeletionBudget& budget_;
};

Result<std::vector<std::string>> Step::collect(const std::string& first, const std::string& end) {
  std::vector<std::string> found;
  const auto status = group_.scan(first, end, [&](std::string_view key, std::string_view) {
    found.emplace_back(key);
    return found.size() < kChunk;
  });
  if (!status) return status.error();
  return found;
}

// Calls `row` for each key of the range from `resume` on, until the budget is spent or `row` says
// that it has not finished with its key.
Result<bool> Step::each_row(const keys::Range& range, std::string& resume, const Row& row) {
  while (true) {
    const auto found = collect(resume.empty() ? range.first : resume, range.end);
    if (!found) return found.error();
    if (found->empty()) return true;
    for (const auto& key : *found) {
      if (budget_.spent(group_)) return false;
      resume = key;
      const auto finished = row(key);
      if (!finished || !*finished) return finished;
      // Behind the last row: those before it are tombstones by now, slow to walk over.
      resume += '\0';
    }
  }
}

Result<bool> Step::each_phase(const std::vector<Phase>& phases, int& phase, std::string& resume) {
  for (; phase < static_cast<int>(phases.size()); ++phase, resume.clear()) {
    const auto& current = phases[static_cast<std::size_t>(phase)];
    const auto finished = each_row(current.range, resume, current.row);
    if (!finished || !*finished) return finished;
  }
  return true;
}

Result<bool> Step::run(const Deletion& deletion, commit::DeletionProgress& progress) {
  const FeedId feed{deletion.target};
  const auto& [kind, target, below, collection, object] = deletion;
  const Row erase = [this](const std::string& key) {
    group_.erase(key);
    return true;
  };
  switch (kind) {
    case DeletionKind::kArticlesOfFeed:
      return each_phase({{keys::articles_of(feed), erase}}, progress.phase, progress.resume);
    case DeletionKind::kActivitiesOfFeed: {
      const Row row = [&](const std::string& key) {
        group_.erase(key);
        group_.erase(keys::activity_feed_key(*keys::last_activity(key), feed));
        return true;
      };
      return each_phase({{keys::feed_activities(feed), row}}, progress.phase, progress.resume);
    }
    case DeletionKind::kEntriesOfGroupingFeed: {
      const Row row = [&](const std::string& key) {
        group_.erase(key);
        group_.erase(keys::activity_grouping_feed_key(*keys::last_activity(key), feed));
        return true;
      };
      return each_phase({{keys::grouped_activities(feed), row},
                         {keys::groups_of(feed), erase},
                         {keys::group_order(feed), erase}},
                        progress.phase, progress.resume);
    }
    case DeletionKind::kMarksOfReactions:
      return mark_reactions(ActivityId{target}, progress.phase, progress.resume);
    case DeletionKind::kObjectCascade:
    case DeletionKind::kObjectSetNil: {
      const Row row = [&](const std::string& key) {
        return delete_referrer(deletion, key, progress);
      };
      const ActivityId end{below};
      return each_phase({{keys::object_activities(collection, object, end), row},
                         {keys::object_activities("", object, end), row}},
                        progress.phase, progress.resume);
    }
  }
  return Error{Code::kInternal, "a deletion of an unknown kind"};
}

Result<bool> Step::mark_reactions(ActivityId gone, int& phase, std::string& resume) {
  const Row row = [&](const std::string& key) { return mark(gone, key); };
  return each_phase({{keys::thread_of(gone), row}, {keys::reactions_of(gone), row}}, phase, resume);
}

Result<bool> Step::mark(ActivityId gone, const std::string& key) {
  const auto loaded = load_activity(group_, pending_, *keys::last_activity(key));
  if (!loaded) return loaded.error();
  auto now = loaded->seen;
  if (loaded->stored.top() == gone) now.object_id = kDeletedMark;
  if (loaded->stored.parent() == gone) now.linked_activity_id = kDeletedMark;
  if (auto written = rewrite_activity(group_, *loaded, now); !written) return written.error();
  return true;
}

Result<std::optional<LoadedActivity>> Step::referrer(const Deletion& deletion,
                                                     const std::string& key) {
  auto loaded = load_activity(group_, pending_, *keys::last_activity(key));
  if (!loaded) {
    // Gone by an earlier deletion, which will erase it.
    if (loaded.error().code == Code::kNoSuchActivity) return std::optional<LoadedActivity>();
    return loaded.error();
  }
  if (loaded->seen.object_id != deletion.object_id) return std::optional<LoadedActivity>();
  return std::optional(std::move(*loaded));
}

Result<bool> Step::delete_referrer(const Deletion& deletion, const std::string& key,
                                   commit::DeletionProgress& progress) {
  const auto found = referrer(deletion, key);
  if (!found) return found.error();
  if (!*found) return true;
  const auto& loaded = **found;
  if (deletion.kind == DeletionKind::kObjectSetNil) {
    auto now = loaded.seen;
    now.object_id.clear();
    now.collection_id.clear();
    if (auto written = rewrite_activity(group_, loaded, now); !written) return written.error();
    return true;
  }
  // The reactions first: while any lacks its marks, reads look for the activity to know that it is
  // gone.
  const auto marked = mark_reactions(loaded.stored.id, progress.inner_phase, progress.inner_resume);
  if (!marked || !*marked) return marked;
  if (auto erased = erase_activity(group_, loaded.stored); !erased) return erased.error();
  progress.inner_phase = 0;
  progress.inner_resume.clear();
  return true;
}

}  // namespace

Result<bool> deletion_step(commit::Group& group, const Deletion& deletion,
                           commit::DeletionProgress& progress,
                           const commit::DeletionBudget& budget) {
  return Step(group, PendingDeletions(), budget).run(deletion, progress);
}

Status delete_or_defer(commit::Group& group, const PendingDeletions& pending,
                       const Deletion& deletion, const commit::DeletionBudget& budget) {
  const auto before = group.entries();
  group.begin_attempt();
  commit::DeletionProgress progress;
  const auto finished = Step(group, pending, budget).run(deletion, progress);
  const bool within = group.entries() == before || !budget.exceeded(group);
  if (finished && *finished && within) {
    group.keep_attempt();
    return done();
  }
  group.undo_attempt();
  if (!finished) return finished.error();
  return group.deletions().add(group, deletion);
}

}  // namespace feeds::commands
