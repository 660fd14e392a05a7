#include "primary/commit/group.h"

#include "primary/commit/deletions.h"

namespace feeds::commit {

Group::Group(store::DatabasePtr database, Counters& counters, Deletions& deletions,
             Templates& templates, std::int64_t now_ns)
    : database_(std::move(database)),
      counters_(counters),
      deletions_(deletions),
      templates_(templates),
      now_ns_(now_ns) {}

Group::Rows& Group::rows() {
  if (!rows_) {
    rows_.emplace();
    batch_.visit([this](std::string_view row, std::optional<std::string_view> value) {
      (*rows_)[std::string(row)] = value ? std::optional(std::string(*value)) : std::nullopt;
    });
  }
  return *rows_;
}

Result<std::optional<std::string>> Group::get(std::string_view key) {
  const auto row = rows().find(key);
  if (row != rows().end()) return row->second;
  return database_->get(key);
}

Status Group::scan(std::string_view first, std::string_view end, const Visit& f) {
  // Committed rows and the group's own, merged; of one key the group's own is the newer.
  store::View committed(database_, end);
  auto own = rows().lower_bound(first);
  const auto own_end = rows().lower_bound(end);
  bool more = committed.seek(first) && committed.key() < end;
  while (more || own != own_end) {
    const bool take_own = own != own_end && (!more || own->first <= committed.key());
    bool go_on = true;
    if (take_own) {
      if (more && committed.key() == own->first) more = committed.next() && committed.key() < end;
      if (own->second) go_on = f(own->first, *own->second);
      ++own;
    } else {
      go_on = f(committed.key(), committed.value());
      more = committed.next() && committed.key() < end;
    }
    if (!go_on) break;
  }
  return committed.status();
}

void Group::put(std::string_view key, std::string_view value) {
  batch_.put(key, value);
  if (rows_) rows_->insert_or_assign(std::string(key), std::string(value));
}

void Group::erase(std::string_view key) {
  batch_.erase(key);
  if (rows_) rows_->insert_or_assign(std::string(key), std::nullopt);
}

void Group::begin_command() {
  command_begin_ = batch_.entries();
  batch_.mark();
  counters_.mark();
  deletions_.mark();
}

void Group::keep() {
  batch_.drop_mark();
}

void Group::undo() {
  // Most commands that fail have written nothing: the rows are worth keeping then.
  if (batch_.entries() != command_begin_) rows_.reset();
  batch_.undo_to_mark();
  counters_.undo_to_mark();
  deletions_.undo_to_mark();
}

void Group::undo_attempt() {
  batch_.undo_to_mark();
  rows_.reset();
}

store::Batch& Group::seal() {
  counters_.write_changes(batch_);
  return batch_;
}

}  // namespace feeds::commit
