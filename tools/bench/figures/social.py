"""What the figures of activities share: loads, the same rows for the peers, contestants."""

import json
import os

from .base import Sample, interleave, measured, print_series
from .load import pgbench, wrk
from .ours import check_item_size
from .peers import encode

FIRST = 10000
OBJECTS = 10_000
# PostgreSQL reads faster with fewer clients than 32 on two cores. Both are measured.
PG_CLIENTS = (8, 32)


def make_feeds(driver, node, feeds):
    driver.post(node, ["/v1/feeds {}"] * feeds)


def load_articles(driver, node, feeds, count, text_bytes=128):
    """Into each feed in turn, as articles come that are published one by one."""
    make_feeds(driver, node, feeds)
    body = json.dumps({"text": "x" * text_bytes})
    driver.post(node, (f"/v1/feeds/{FIRST + i % feeds}/publishArticle {body}"
                       for i in range(count)))
    check_item_size(node)
    node.wait_calm()


def activity_body(object_id, redirect_to=(), collection=""):
    body = {"objectId": object_id, "userId": "user-1234", "activityType": "like",
            "extraData": {"text": "x" * 16}}
    if collection:
        body["collectionId"] = collection
    if redirect_to:
        body["redirectTo"] = list(redirect_to)
    return json.dumps(body, separators=(",", ":"))


def object_of(number):
    return f"object-{FIRST + number % OBJECTS}"


def load_activities(driver, node, feeds, count):
    """Into each feed in turn, each about one of OBJECTS objects."""
    make_feeds(driver, node, feeds)
    driver.post(node, (f"/v1/feeds/{FIRST + i % feeds}/activities {activity_body(object_of(i))}"
                       for i in range(count)))
    node.wait_calm()


class Copies:
    """An activity as our server serves it, with other ids: what the peers store."""

    def __init__(self, served):
        text = json.dumps(served, separators=(",", ":"))
        head = '{"id":"'
        assert text.startswith(head)
        self.bytes = len(text)
        self.head, self.tail = head, text[len(head) + len(served["id"]):]

    def text(self, number):
        return f"{self.head}{number}{self.tail}"

    def sql(self, number):
        """The same as an expression of SQL."""
        return f"($v${self.head}$v$ || {number} || $v${self.tail}$v$)"

    def into_redis(self, redis, sets, member_of, count):
        """activity:<id> for every one, and its id in the sorted set sets[member_of(i)]."""
        def values():
            for start in range(0, count, 1000):
                ids = range(FIRST + start, FIRST + min(start + 1000, count))
                yield b"".join(encode("SET", f"activity:{i}", self.text(i)) for i in ids)

        def members():
            of = [[] for _ in sets]
            for i in range(count):
                of[member_of(i)] += [str(FIRST + i)] * 2  # score and member
            for key, pairs in zip(sets, of):
                for start in range(0, len(pairs), 2000):
                    yield encode("ZADD", key, *pairs[start:start + 2000])
        redis.pipe(values())
        redis.pipe(members())


# --- contestants ----------------------------------------------------------------------------

def requests_file(directory, name, lines):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def by_wrk(options, node, *request, connections=32):
    return lambda: measured(node, lambda: wrk(node.url, connections, options.seconds, *request))


def redis_readers(options, driver, redis, first_steps, rows):
    """ZREVRANGE, then MGET; the second of a page by itself or with the first of the next page."""
    def reader(how):
        return lambda: measured(redis, lambda: driver.redis_pages(redis, how, 32, options.seconds,
                                                                  rows, first_steps))
    return {"redis, one step ahead": reader("ahead"), "redis, step by step": reader("plain")}


def by_pgbench(options, postgres, clients, script):
    def once():
        # Its CPU time is not shown: a backend takes its own with it when its connection ends.
        rate, _, more = pgbench(postgres, clients, options.seconds, script)
        return Sample(rate, more)
    return once


def pg_readers(options, postgres, what, script):
    return {f"{what}, {clients} clients": by_pgbench(options, postgres, clients, script)
            for clients in PG_CLIENTS}


def fastest(postgres, note, tried):
    """The name and the script that does best in one second."""
    rates = {}
    for name, script in tried.items():
        rates[name], _, _ = pgbench(postgres, PG_CLIENTS[0], 1, script)
        note(f"tried: {name:40} {rates[name]:,.0f} pages/s")
    name = max(rates, key=rates.get)
    return name, tried[name]


def compare(options, note, contestants):
    for measure in contestants.values():  # a warm cache on all sides
        measure()
    series = interleave(options.rounds, contestants, note)
    print_series(series)
    return series


def best(series, beginning):
    return max((name for name in series.samples if name.startswith(beginning)), key=series.median)


def limit_note(series, *contestants):
    at_limit = [name for name in contestants if (series.median(name, "load %") or 0) > 95]
    return f"the generator of {', '.join(at_limit)} is at its limit" if at_limit else ""
