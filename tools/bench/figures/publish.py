"""Publishing with an answer only after the fsync, into random feeds."""

import os

from .base import Check, Sample, interleave, measured, print_series, scratch
from .load import pgbench, redis_for_seconds, wrk
from .ours import Cluster
from .peers import Postgres, Redis, item


ITEMS = "create table items(feed int, seq bigserial, body text, primary key(feed, seq))"


def insert(options):
    return (f"\\set f random(0, {options.feeds - 1})\n"
            f"insert into items(feed, body) values (:f, $v${item(1)}$v$);\n")


def publish(options, note):
    """Articles of 150 bytes by 1, 32 and 256 connections; PostgreSQL beside 32."""
    with scratch("publish") as directory, Cluster(options, directory) as cluster:
        primary = cluster.primary()
        cluster.populate(primary, articles=0)
        redis = Redis(os.path.join(directory, "redis"), fsync="always")
        postgres = None
        try:
            postgres = Postgres(os.path.join(directory, "postgres"))
            postgres.wait_ready()
            postgres.sql(ITEMS)
            for connections in (1, 32, 256):
                note(f"{connections} connections")
                yield from one(options, note, connections, primary, redis,
                               postgres if connections == 32 else None)
        finally:
            redis.stop()
            if postgres:
                postgres.stop()


def by_pgbench(options, postgres, connections, script):
    # Its CPU time is not shown: a backend takes its own with it when its connection ends.
    rate, _, more = pgbench(postgres, connections, options.seconds, script)
    return Sample(rate, more)


def one(options, note, connections, primary, redis, postgres):
    request = ("publish", options.feeds, options.text_bytes)
    xadd = redis_for_seconds(redis.port, connections, options.seconds, options.feeds, "XADD",
                             "feed:__rand_int__", "*", "d", item(1))
    wrk(primary.url, connections, 1, *request)
    contestants = {
        "feeds": lambda: measured(
            primary, lambda: wrk(primary.url, connections, options.seconds, *request)),
        "redis XADD always": lambda: measured(redis, xadd)}
    if postgres:
        contestants["postgres INSERT"] = lambda: by_pgbench(options, postgres, connections,
                                                            insert(options))
    series = interleave(options.rounds, contestants, note)
    print_series(series)
    at_limit = series.median("feeds", "load %") > 95
    yield Check(f"publish, c{connections}, to Redis XADD always", series.median("feeds"),
                series.median("redis XADD always"), 1.0, unit="req/s",
                note="wrk is at its limit" if at_limit else "")
    if postgres:
        yield Check(f"publish, c{connections}, to PostgreSQL INSERT", series.median("feeds"),
                    series.median("postgres INSERT"), 4.0, unit="req/s")


FIGURES = {"publish": publish}
