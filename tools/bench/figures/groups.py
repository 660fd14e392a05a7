"""The pages of a grouping feed: groups by their newest activity, with a few activities each."""

import json
import os
import random

from .activities import peers
from .base import Check, Failed, get, scratch
from .load import Driver
from .ours import Cluster
from .social import (FIRST, Copies, activity_body, best, by_wrk, compare, fastest, limit_note,
                     pg_readers, requests_file)

GROUPS, SHOWN, PAGES = 25, 3, 20

TABLES = """create table activities(id bigint primary key, body text);
create table entries(feed bigint, key text, id bigint, body text);
insert into activities select i, {body} from generate_series({first}, {last}) i;
insert into entries select {first}, 'object-' || lpad(case when i < {first} + {groups}
    then i - {first} else floor(random() * {groups}) end::text, 6, '0'), i, {body}
  from generate_series({first}, {last}) i;
create unique index on entries(feed, key, id desc);
create unique index on entries(feed, id desc) include (key);
create index with_bodies on entries(feed, key, id desc) include (body);
create table groups(feed bigint, key text, count bigint, newest bigint, primary key(feed, key));
insert into groups select feed, key, count(*), max(id) from entries group by feed, key;
create index on groups(feed, newest desc) include (key, count)"""

# The newest groups before :n, three ways. Only the last needs a table that every write keeps up.
ANTI_JOIN = """select e.key, e.id newest, (select count(*) from entries c
    where c.feed = e.feed and c.key = e.key) count
  from entries e where e.feed = {first} and e.id < :n and not exists (select from entries n
    where n.feed = e.feed and n.key = e.key and n.id > e.id)
  order by e.id desc limit {rows}"""
GROUP_BY = """select key, max(id) newest, count(*) count from entries where feed = {first}
  group by key having max(id) < :n order by newest desc limit {rows}"""
KEPT = """select key, newest, count from groups
  where feed = {first} and newest < :n order by newest desc limit {rows}"""

# Their newest activities, by a join with the activities or from copies in the index.
JOINED = """select e.id, a.body from entries e join activities a using (id)
  where e.feed = {first} and e.key = g.key order by e.id desc limit {shown}"""
COPIED = """select e.id, e.body from entries e
  where e.feed = {first} and e.key = g.key order by e.id desc limit {shown}"""

LATERAL = """select g.key, g.count, x.body from ({groups}) g
  cross join lateral ({shown}) x order by g.newest desc, x.id desc;"""
ONE_ROW_A_GROUP = """select g.key, g.count, (select string_agg(x.body, ',') from ({shown}) x)
  from ({groups}) g order by g.newest desc;"""
WINDOW = """select key, count, body from (
    select g.key, g.count, g.newest, e.id, e.body,
           row_number() over (partition by g.key order by e.id desc) place
      from ({groups}) g join entries e on e.feed = {first} and e.key = g.key) x
  where place <= {{shown}} order by newest desc, id desc;"""


def queries(newest_groups):
    made = {}
    for name, shown in (("join", JOINED), ("copies", COPIED)):
        made[f"lateral, {name}"] = LATERAL.format(groups=newest_groups, shown=shown)
        made[f"a row a group, {name}"] = ONE_ROW_A_GROUP.format(groups=newest_groups, shown=shown)
    made["window"] = WINDOW.format(groups=newest_groups, first="{first}")
    return made


def scripts(newest_groups, count):
    """By name. Page starts are as far from the newest as ours are."""
    last = FIRST + count - 1
    head = f"\\set n random({last - GROUPS * (PAGES - 1)}, {last + 1})\n"
    return {name: head + query.format(first=FIRST, rows=GROUPS, shown=SHOWN).replace("\n", " ")
            for name, query in queries(newest_groups).items()}


def check_rows(postgres, tried):
    """The newest page has as many groups, and no more activities, than asked for."""
    for name, script in tried.items():
        query = script.split("\n", 1)[1].replace(":n", str(10 ** 18))
        rows = postgres.sql(query).splitlines()
        if len({row.split("|")[0] for row in rows}) != GROUPS or len(rows) > GROUPS * SHOWN:
            raise Failed(f"{name} gives {len(rows)} rows: {rows[:3]}")


def load_groups(driver, node, count, many):
    driver.post(node, ['/v1/groupingFeeds {"keyFormat":"{{.ObjectId}}"}'])
    random_ = random.Random(1)
    driver.post(node, (
        f"/v1/feeds/{FIRST}/activities "
        + activity_body(f"object-{i if i < many else random_.randrange(many):06d}")
        for i in range(count)))
    node.wait_calm()


def page_paths(node):
    """The first PAGES pages, found by following `next`."""
    path = f"/v1/groupingFeeds/{FIRST}/activities?limit={GROUPS}&activityLimit={SHOWN}"
    paths, offset = [], ""
    for _ in range(PAGES):
        paths.append(path + offset)
        page = json.loads(get(node.url + paths[-1]))
        shown = [len(group["activities"]) for group in page["activityGroups"]]
        if len(shown) != GROUPS or max(shown) != SHOWN:
            raise Failed(f"not a full page of groups: {shown}")
        offset = f"&offsetId={page['next']}"
    return paths, page


def groups(options, note):
    """25 groups with 3 activities each, of 100,000 activities in 10,000 groups."""
    driver = Driver(options.build)
    count, many = options.activities // 10, options.activities // 100
    with (scratch("groups") as directory, Cluster(options, directory) as cluster,
          peers(directory, with_redis=False) as (postgres, _)):
        node = cluster.primary()
        note(f"loading {count:,} activities in {many:,} groups")
        load_groups(driver, node, count, many)
        paths, page = page_paths(node)
        copies = Copies(page["activityGroups"][0]["activities"][0])
        postgres.sql(TABLES.format(body=copies.sql("i"), first=FIRST, last=FIRST + count - 1,
                                   groups=many))
        postgres.sql("vacuum analyze")
        postgres.sql("checkpoint")
        asked = {f"asked for; {name}": script
                 for name, script in scripts(ANTI_JOIN, count).items()}
        asked["asked for; group by"] = scripts(GROUP_BY, count)["lateral, copies"]
        kept = {f"kept; {name}": script for name, script in scripts(KEPT, count).items()}
        check_rows(postgres, {**asked, **kept})
        asked_name, asked_script = fastest(postgres, note, asked)
        kept_name, kept_script = fastest(postgres, note, kept)
        series = compare(options, note, {
            "feeds": by_wrk(options, node, "gets", requests_file(directory, "paths", paths)),
            **pg_readers(options, postgres, "postgres", asked_script),
            **pg_readers(options, postgres, "groups kept in postgres", kept_script)})
    yield check("page of groups, c32, to PostgreSQL", series, "postgres", 5.0, asked_name)
    yield check("page of groups, c32, to groups kept there (no bar)", series, "groups kept", 0,
                kept_name)


def check(what, series, peer, bar, query):
    peer = best(series, peer)
    limit = limit_note(series, "feeds")
    return Check(what, series.median("feeds"), series.median(peer), bar, unit="req/s",
                 note=f"by {peer}: {query}" + (f"; {limit}" if limit else ""))


FIGURES = {"groups": groups}
