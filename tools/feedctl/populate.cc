#include "tools/feedctl/populate.h"

#include <fmt/format.h>

#include "tools/feedctl/crew.h"
#include "tools/feedctl/populate_social.h"
#include "tools/feedctl/printer.h"

namespace feeds::feedctl {
namespace {

// The ids are sorted: text numbers and ids run alike, whatever the order of the replies.
Result<std::vector<std::uint64_t>> make_feeds(Crew& crew, std::uint64_t count,
                                              std::FILE* terminal) {
  Progress progress(terminal, "feeds", count);
  Guarded<std::vector<std::uint64_t>> made;
  const Status status = crew.run(count, [&](Writer& writer, std::uint64_t) {
    const auto feed = writer.create("/v1/feeds");
    if (!feed) return Status(feed.error());
    made.with([&](auto& ids) { ids.push_back(*feed); });
    progress.advance();
    return done();
  });
  if (!status) return status.error();
  auto ids = made.copy();
  std::sort(ids.begin(), ids.end());
  return ids;
}

Status publish_all(Crew& crew, const PopulateOptions& options,
                   const std::vector<std::uint64_t>& feeds, std::FILE* terminal) {
  Progress progress(terminal, "articles", options.feeds * options.articles);
  return crew.run(feeds.size(), [&](Writer& writer, std::uint64_t feed) {
    const std::string target = fmt::format("/v1/feeds/{}/publishArticle", feeds[feed]);
    for (std::uint64_t article = 0; article < options.articles && !crew.stop().stopped();
         ++article) {
      const auto reply =
          writer.post(target, article_text(feed, article, options.text_bytes), "text/plain");
      if (!reply) return Status(reply.error());
      progress.advance();
    }
    return done();
  });
}

Status subscribe_all(Crew& crew, const PopulateOptions& options,
                     const std::vector<std::uint64_t>& feeds, std::FILE* terminal) {
  Progress progress(terminal, "users", options.users);
  const std::uint64_t subscriptions = std::min<std::uint64_t>(feeds.size(), kPopulateSubscriptions);
  return crew.run(options.users, [&](Writer& writer, std::uint64_t) {
    const auto user = writer.create("/v1/users");
    if (!user) return Status(user.error());
    for (std::uint64_t i = 0; i < subscriptions; ++i) {
      const auto reply =
          writer.post(fmt::format("/v1/users/{}/subscribe?feedId={}", *user, feeds[i]));
      if (!reply) return Status(reply.error());
    }
    progress.advance();
    return done();
  });
}

}  // namespace

std::string article_text(std::uint64_t feed, std::uint64_t article, std::uint64_t bytes) {
  constexpr std::string_view kWords = " the quick brown fox jumps over the lazy dog";
  std::string text = fmt::format("f:{}a:{}", feed, article);
  const std::size_t start = text.size();
  while (text.size() < bytes) text += kWords[(text.size() - start) % kWords.size()];
  return text;
}

Result<std::string> populate(const PopulateOptions& options, std::FILE* terminal) {
  const auto started = std::chrono::steady_clock::now();
  const auto url = parse_url(options.url);
  if (!url) return url.error();
  Crew crew(*url, options.connections);
  const auto feeds = make_feeds(crew, options.feeds, terminal);
  if (!feeds) return feeds.error();
  if (options.articles > 0) {
    if (const Status status = publish_all(crew, options, *feeds, terminal); !status)
      return status.error();
  }
  if (options.users > 0) {
    if (const Status status = subscribe_all(crew, options, *feeds, terminal); !status)
      return status.error();
  }
  std::string social;
  if (options.social) {
    const auto made = populate_social(crew, *feeds, options.activities, terminal);
    if (!made) return made.error();
    social = "\n" + *made;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  return fmt::format("made {} feeds with {} articles each and {} users at {} in {:.1f} s{}",
                     options.feeds, options.articles, options.users, url->text, took.count(),
                     social);
}

}  // namespace feeds::feedctl
