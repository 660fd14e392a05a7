#include "primary/commit/group.h"

namespace feeds::commit {

Group::Group(store::DatabasePtr database, Counters& counters, Deletions& deletions)
    : database_(std::move(database)), counters_(counters), deletions_(deletions) {}

Result<std::optional<std::string>> Group::get(std::string_view key) {
  if (!rows_) {
    rows_.emplace();
    batch_.visit([this](std::string_view row, std::optional<std::string_view> value) {
      (*rows_)[std::string(row)] = value ? std::optional(std::string(*value)) : std::nullopt;
    });
  }
  const auto row = rows_->find(key);
  if (row != rows_->end()) return row->second;
  return database_->get(key);
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
  batch_.mark();
  counters_.mark();
}

void Group::keep() { batch_.drop_mark(); }

void Group::undo() {
  batch_.undo_to_mark();
  counters_.undo_to_mark();
  rows_.reset();
}

store::Batch& Group::seal() {
  counters_.write_changes(batch_);
  return batch_;
}

}  // namespace feeds::commit
