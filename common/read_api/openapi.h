#pragma once

#include <string_view>

namespace feeds::read_api {

// schema/openapi.json, as it was when the program was built.
std::string_view openapi_json();

}  // namespace feeds::read_api
