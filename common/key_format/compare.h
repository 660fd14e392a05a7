#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/key_format/text.h"
#include "common/key_format/value.h"

// eq and its kin. Kinds of integer compare with each other; otherwise kinds must agree.
namespace feeds::key_format {

// Whether `first` equals any of `others`, which are looked at in order. nullopt, and `error` set,
// for no others, or for what cannot be compared before a match is found. Charges for long texts.
std::optional<bool> equal_to_any(const Value& first, std::span<const Value> others, Budget& budget,
                                 std::string& error);

// Numbers and strings only.
std::optional<bool> less(const Value& first, const Value& second, Budget& budget,
                         std::string& error);

}  // namespace feeds::key_format
