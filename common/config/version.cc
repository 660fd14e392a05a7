#include "common/config/version.h"

namespace feeds::config {

std::string_view version() {
  return FEEDS_VERSION;
}

}  // namespace feeds::config
