"""Activities: adding them, and the pages of feeds and threads."""

import contextlib
import json
import os
import random

from .base import Check, get, scratch
from .load import Driver
from .ours import Cluster
from .peers import Postgres, Redis
from .social import (FIRST, OBJECTS, Copies, activity_body, best, by_pgbench, by_wrk, compare,
                     fastest, limit_note, load_activities, load_articles, make_feeds, object_of,
                     pg_readers, redis_readers, requests_file)

ROWS = 50


@contextlib.contextmanager
def peers(directory, with_redis=True):
    started = []
    try:
        postgres = Postgres(os.path.join(directory, "postgres"))
        started.append(postgres)
        postgres.wait_ready()
        redis = None
        if with_redis:
            redis = Redis(os.path.join(directory, "redis"))
            started.append(redis)
        yield postgres, redis
    finally:
        for server in reversed(started):
            server.stop()


# --- add ------------------------------------------------------------------------------------

ADD_TABLES = """
create table activities(id bigserial primary key, body text);
create table feed_activities(feed int, id bigint, primary key(feed, id));
create table object_activities(object text, id bigint, primary key(object, id))"""


def add_script(options, copies):
    # One statement is one transaction and one round trip: the cheapest way to write four rows.
    return f"""\\set f random(0, {options.feeds - 1})
\\set g random(0, {options.feeds - 1})
\\set o random({FIRST}, {FIRST + OBJECTS - 1})
with a as (insert into activities(body) values ({copies.sql("1000000")}) returning id),
     f as (insert into feed_activities
           select v.feed, a.id from a, (values (:f), ({options.feeds} + :g)) v(feed)),
     o as (insert into object_activities select 'object-' || :o, a.id from a)
select id from a;
"""


def add_requests(options, count=20_000):
    random_ = random.Random(1)
    feeds = range(FIRST, FIRST + options.feeds)
    for i in range(count):
        feed, other = random_.sample(feeds, 2)
        yield f"/v1/feeds/{feed}/activities {activity_body(object_of(i), [other])}"


def add(options, note):
    """Activities into a feed and one more, fsynced, 32 connections."""
    driver = Driver(options.build)
    with (scratch("add") as directory, Cluster(options, directory) as cluster,
          peers(directory, with_redis=False) as (postgres, _)):
        publishing, adding = cluster.primary(), cluster.primary()
        for node in (publishing, adding):
            make_feeds(driver, node, options.feeds)
        posts = requests_file(directory, "posts", add_requests(options))
        driver.post(adding, [f"/v1/feeds/{FIRST}/activities {activity_body(object_of(0))}"])
        copies = Copies(json.loads(get(f"{adding.url}/v1/activities/{FIRST}")))
        note(f"an activity of {copies.bytes} bytes as served, an article of 150")
        postgres.sql(ADD_TABLES)
        series = compare(options, note, {
            "feeds, add": by_wrk(options, adding, "posts", posts),
            "feeds, publish": by_wrk(options, publishing, "publish", options.feeds,
                                     options.text_bytes),
            "postgres, four rows": by_pgbench(options, postgres, 32, add_script(options, copies))})
    yield Check("add an activity, c32, to our publish", series.median("feeds, add"),
                series.median("feeds, publish"), 0.75, unit="req/s",
                note=limit_note(series, "feeds, add", "feeds, publish"))
    yield Check("add an activity, c32, to PostgreSQL", series.median("feeds, add"),
                series.median("postgres, four rows"), 4.0, unit="req/s")


# --- pages ----------------------------------------------------------------------------------

def page_checks(what, series, join):
    ours = series.median("feeds, activities")
    yield Check(f"{what}, c32, to our articles", ours, series.median("feeds, articles"), 0.5,
                unit="req/s", note=limit_note(series, "feeds, activities", "feeds, articles"))
    for how, bar in (("step by step", 1.2), ("one step ahead", 0)):
        name = f"redis, {how}"
        yield Check(f"{what}, c32, to Redis {how}{'' if bar else ' (no bar)'}", ours,
                    series.median(name), bar, unit="req/s", note=limit_note(series, name))
    peer = best(series, "postgres")
    yield Check(f"{what}, c32, to PostgreSQL's join", ours, series.median(peer), 3.0,
                unit="req/s", note=f"by {peer}: {join}")


def joins(index, condition, head):
    """The same page in three shapes: the planner does not always see which rows come first."""
    ids = f"select id from {index} where {condition} order by id desc limit {ROWS}"
    return {
        "join": head + f"select a.body from {index} t join activities a using (id) where "
                       f"{condition.replace('id <', 't.id <')} order by t.id desc limit {ROWS};",
        "ids first": head + f"select a.body from ({ids}) t join activities a using (id) "
                            "order by t.id desc;",
        "ids as an array": head + "select body from activities "
                                  f"where id = any(array({ids})) order by id desc;"}


def tables(postgres, copies, index, key, first_key, keys, count):
    """Activities, and an index table by which `key` finds its own, newest last."""
    postgres.sql(f"""create table activities(id bigint primary key, body text);
        create table {index}({key} bigint, id bigint, primary key({key}, id));
        insert into activities select i, {copies.sql("i")}
          from generate_series({FIRST}, {FIRST + count - 1}) i;
        insert into {index} select {first_key} + (i - {FIRST}) % {keys}, i
          from generate_series({FIRST}, {FIRST + count - 1}) i""")
    postgres.sql("vacuum analyze")
    postgres.sql("checkpoint")


def activities(options, note):
    """The newest 50 activities of a random feed, 32 connections."""
    driver = Driver(options.build)
    feeds, count = options.feeds, options.activities
    with (scratch("activities") as directory, Cluster(options, directory) as cluster,
          peers(directory) as (postgres, redis)):
        with_articles, with_activities = cluster.primary(), cluster.primary()
        note(f"loading {count:,} articles, and as many activities into each of the servers")
        load_articles(driver, with_articles, feeds, count)
        load_activities(driver, with_activities, feeds, count)
        page = json.loads(get(f"{with_activities.url}/v1/feeds/{FIRST}/activities"))
        copies = Copies(page["activities"][0])
        note(f"an activity of {copies.bytes} bytes as served, an article of 150")
        keys = [f"feed:{feed}" for feed in range(FIRST, FIRST + feeds)]
        copies.into_redis(redis, keys, lambda i: i % feeds, count)
        tables(postgres, copies, "feed_activities", "feed", FIRST, feeds, count)
        paths = requests_file(directory, "paths", (f"/v1/feeds/{feed}/activities"
                                                   for feed in range(FIRST, FIRST + feeds)))
        name, script = fastest(postgres, note, joins(
            "feed_activities", "feed = :f", f"\\set f random({FIRST}, {FIRST + feeds - 1})\n"))
        series = compare(options, note, {
            "feeds, activities": by_wrk(options, with_activities, "gets", paths),
            "feeds, articles": by_wrk(options, with_articles, "newest", feeds),
            **redis_readers(options, driver, redis,
                            [f"ZREVRANGE {key} 0 {ROWS - 1}" for key in keys], ROWS),
            **pg_readers(options, postgres, "postgres", script)})
    yield from page_checks("page of a feed's activities", series, name)


def load_thread(driver, node, count):
    """An activity with `count` reactions, each to it or to an earlier reaction; returns its id."""
    make_feeds(driver, node, 1)
    driver.post(node, [f"/v1/feeds/{FIRST}/activities {activity_body(object_of(0))}"])
    reaction = json.dumps({"userId": "user-1234", "activityType": "comment",
                           "extraData": {"text": "x" * 16}}, separators=(",", ":"))
    first = min(count, 1000)
    driver.post(node, (f"/v1/activities/{FIRST}/reactions {reaction}" for _ in range(first)))
    driver.post(node, (f"/v1/activities/{FIRST + i % (first + 1)}/reactions {reaction}"
                       for i in range(count - first)))
    node.wait_calm()


def thread(options, note):
    """50 of a thread of 100,000 reactions from anywhere in it, 32 connections."""
    driver = Driver(options.build)
    count = options.activities // 10
    feeds = max(1, options.feeds // 10)
    starts = random.Random(1).sample(range(FIRST + ROWS + 1, FIRST + count + 1),
                                     min(20_000, count // 2))
    with (scratch("thread") as directory, Cluster(options, directory) as cluster,
          peers(directory) as (postgres, redis)):
        with_articles, with_thread = cluster.primary(), cluster.primary()
        note(f"loading {count:,} articles, and as many reactions into each of the servers")
        load_articles(driver, with_articles, feeds, count)
        load_thread(driver, with_thread, count)
        page = json.loads(get(f"{with_thread.url}/v1/activities/{FIRST}/thread"))
        copies = Copies(page["reactions"][0])
        note(f"a reaction of {copies.bytes} bytes as served, an article of 150")
        copies.into_redis(redis, ["thread"], lambda i: 0, count + 1)
        tables(postgres, copies, "thread_reactions", "top", FIRST, 1, count + 1)
        paths = requests_file(directory, "paths", (
            f"/v1/activities/{FIRST}/thread?offsetId={start}" for start in starts))
        name, script = fastest(postgres, note, joins(
            "thread_reactions", f"top = {FIRST} and id < :n",
            f"\\set n random({FIRST + ROWS + 1}, {FIRST + count})\n"))
        last = FIRST + count // feeds - ROWS - 1
        series = compare(options, note, {
            "feeds, activities": by_wrk(options, with_thread, "gets", paths),
            "feeds, articles": by_wrk(options, with_articles, "page", feeds, FIRST, last),
            **redis_readers(options, driver, redis, [
                f"ZREVRANGEBYSCORE thread ({start} -inf LIMIT 0 {ROWS}" for start in starts], ROWS),
            **pg_readers(options, postgres, "postgres", script)})
    yield from page_checks("page of a thread", series, name)


FIGURES = {"add": add, "activities": activities, "thread": thread}
