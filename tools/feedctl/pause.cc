#include "tools/feedctl/pause.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace feeds::feedctl {

void pause(std::chrono::milliseconds time) {
  boost::asio::io_context io;
  boost::asio::steady_timer(io, time).wait();
}

}  // namespace feeds::feedctl
