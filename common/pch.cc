// Boost.JSON as header-only: its one translation unit.
#include <boost/json/src.hpp>
