#pragma once

#include <kj/exception.h>
#include <kj/string.h>

namespace feeds::wire {

// KJ_EXCEPTION with a text that is not a literal: the macro would name the variable too.
inline kj::Exception failure(kj::StringPtr why,
                             kj::Exception::Type type = kj::Exception::Type::FAILED) {
  return kj::Exception(type, __FILE__, __LINE__, kj::heapString(why));
}

}  // namespace feeds::wire
