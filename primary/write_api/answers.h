#pragma once

#include <string>

#include "primary/write_api/write_context.h"

// Answers that most commands have.
namespace feeds::write_api {

// 200 with the command's value.
inline constexpr auto kSendValue = [](auto& done, http::Exchange& reply_to) {
  reply_to.reply().body += done.value;
  reply_to.send();
};

// 204.
inline constexpr auto kSendNothing = [](auto&, http::Exchange& reply_to) {
  reply_to.reply().status = 204;
  reply_to.send();
};

// 201 with the command's value, at the path that `location(command)` gives.
template <class Location>
auto send_created(Location location) {
  return [location](auto& done, http::Exchange& reply_to) {
    reply_to.reply().status = 201;
    reply_to.reply().location = location(done);
    reply_to.reply().body += done.value;
    reply_to.send();
  };
}

}  // namespace feeds::write_api
