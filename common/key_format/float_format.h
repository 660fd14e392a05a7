#pragma once

#include <string>

namespace feeds::key_format {

// Appends `value` as Go's strconv.FormatFloat(value, verb, precision, 64): verb is one of
// b e E f g G x X, precision -1 the shortest that reads back as the same number.
// The text is as long as the precision asks; the caller bounds it.
void append_float(std::string& out, double value, char verb, int precision);

}  // namespace feeds::key_format
