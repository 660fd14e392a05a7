"""What a replica sees and when; what it costs to bring one up; what the primary keeps in memory."""

import os
import signal
import statistics
import time

from .base import (Check, Failed, Sample, Series, answers, interleave, measured,
                   print_series, scratch)
from .load import Driver, wrk
from .ours import Cluster
from .peers import Redis

# Redis's replica stands still for most of a second in some runs; such a run says nothing of its
# usual lag and is left out of its median.
STALLED_US = 100_000


def lag(options, note):
    """From a write's answer to the poll of the replica that shows it, at a fixed rate."""
    driver = Driver(options.build)
    with scratch("lag") as directory, Cluster(options, directory) as cluster:
        primary = cluster.primary()
        cluster.populate(primary, feeds=1, articles=0)
        replica = cluster.replica(primary)
        redis = Redis(os.path.join(directory, "redis"), fsync="always")
        redis_replica = None
        try:
            redis_replica = Redis(os.path.join(directory, "redis-replica"), primary=redis)
            redis_replica.wait_until(lambda: redis_replica.caught_up_with(redis))

            def once(kind, first, second):
                found = driver.lag(kind, first, second, options.rate, options.seconds)
                if found["unseen"]:
                    raise Failed(f"{kind}: {found['unseen']} writes never seen on the replica")
                return Sample(found.pop("lag_p50_us"), found)
            series = interleave(options.rounds, {
                "feeds": lambda: once("feeds", primary.http, replica.http),
                "redis": lambda: once("redis", redis.port, redis_replica.port)}, note)
        finally:
            redis.stop()
            if redis_replica:
                redis_replica.stop()
    print_series(series)
    calm = [sample for sample in series.samples["redis"]
            if sample.more["lag_p99_us"] < STALLED_US]
    stalled = len(series.samples["redis"]) - len(calm)
    left_out = f"{stalled} stalled run(s) of Redis left out" if stalled else ""
    if not calm:
        raise Failed("every run of Redis stalled")
    yield Check("seen on a replica, p50", series.median("feeds"),
                statistics.median(sample.value for sample in calm), 1.5, at_least=False,
                unit="us", note=left_out)
    yield Check("seen on a replica, p99", series.median("feeds", "lag_p99_us"),
                statistics.median(sample.more["lag_p99_us"] for sample in calm), 1.0,
                at_least=False, unit="us", note=left_out)


def catchup(options, note):
    """A replica is stopped, misses every article, and goes on."""
    series = Series()
    for number in range(options.heavy_rounds):
        for name, measure in (("feeds", feeds_catchup), ("redis", redis_catchup)):
            with scratch("catchup") as directory:
                sample = measure(options, directory)
            series.add(name, sample)
            note(f"round {number + 1}/{options.heavy_rounds}  {name}  {sample.value:,.0f} items/s "
                 f"{sample.more}")
    print_series(series)
    yield Check("catching up, items/s", series.median("feeds"), series.median("redis"), 1.0,
                unit="items/s")


def feeds_catchup(options, directory):
    with Cluster(options, directory) as cluster:
        primary = cluster.primary()
        replica = cluster.replica(primary)
        os.kill(replica.pid, signal.SIGSTOP)
        away = cluster.populate(primary)
        wanted = primary.position()
        started = time.monotonic()
        os.kill(replica.pid, signal.SIGCONT)
        replica.wait_position(wanted)
        took = time.monotonic() - started
        return Sample(options.articles / took, {"s": took, "s away": away})


def redis_catchup(options, directory):
    primary = Redis(os.path.join(directory, "primary"), fsync="always")
    replica = None
    try:
        replica = Redis(os.path.join(directory, "replica"), primary=primary)
        replica.wait_until(lambda: replica.caught_up_with(primary))
        os.kill(replica.pid, signal.SIGSTOP)
        primary.command("CONFIG", "SET", "appendfsync", "no")
        before = time.monotonic()
        primary.load(options.feeds, options.per_feed)
        away = time.monotonic() - before
        started = time.monotonic()
        os.kill(replica.pid, signal.SIGCONT)
        replica.wait_until(lambda: replica.caught_up_with(primary), 300, 0.005)
        took = time.monotonic() - started
        return Sample(options.articles / took, {"s": took, "s away": away})
    finally:
        if replica:
            replica.stop()
        primary.stop()


def loaded(options, note):
    """The primary's memory after the load, then the first snapshot of new replicas."""
    with scratch("loaded") as directory, Cluster(options, directory) as cluster:
        primary = cluster.primary()
        note(f"loading {options.articles:,} articles")
        cluster.populate(primary)
        redis = Redis(os.path.join(directory, "redis"), fsync="always")
        try:
            redis.command("CONFIG", "SET", "appendfsync", "no")
            redis.load(options.feeds, options.per_feed)
            memory = Series()
            memory.add("feeds", Sample(primary.memory_mb(), {
                "anonymous": primary.memory_mb("RssAnon"), "peak": primary.memory_mb("VmHWM")}))
            memory.add("redis", Sample(redis.memory_mb(), {
                "anonymous": redis.memory_mb("RssAnon"), "peak": redis.memory_mb("VmHWM")}))
            print_series(memory)
            yield Check("memory of the primary after the load", memory.median("feeds"),
                        memory.median("redis"), 0.8, at_least=False, unit="MB")
            yield from first_snapshot(options, note, directory, cluster, primary, redis)
        finally:
            redis.stop()


def first_snapshot(options, note, directory, cluster, primary, redis):
    numbers = iter(range(1000))

    def feeds_replica():
        replica = cluster.replica(primary, ready=False)
        page = f"{replica.url}/v1/feeds/{10000 + options.feeds - 1}"
        replica.wait_until(lambda: answers(page), 300, 0.005)
        took = time.monotonic() - replica.started
        if replica.position() < primary.position():
            raise Failed("the new replica serves, but is behind a primary without writes")
        replica.wait_ready(pause=0.005)
        ready = time.monotonic() - replica.started
        cluster.stop(replica)
        return Sample(took, {"s to ready": ready})

    def redis_replica():
        replica = Redis(os.path.join(directory, f"redis-replica-{next(numbers)}"), primary=redis)
        try:
            replica.wait_until(lambda: replica.caught_up_with(redis), 300, 0.005)
            return Sample(time.monotonic() - replica.started)
        finally:
            replica.stop()

    series = interleave(options.rounds, {"feeds": feeds_replica, "redis": redis_replica}, note)
    print_series(series)
    yield Check("first snapshot, until it serves", series.median("feeds"), series.median("redis"),
                1.0, at_least=False, unit="s")


def reads_while_applying(options, note):
    """Pages of a replica while its primary, or an unrelated one, takes writes."""
    driver = Driver(options.build)
    with scratch("applying") as directory, Cluster(options, directory) as cluster:
        primary = cluster.primary()
        replica = cluster.replica(primary)
        note(f"loading {options.articles:,} articles")
        cluster.populate(primary)
        replica.wait_position(primary.position())
        unrelated = cluster.primary()
        cluster.populate(unrelated, articles=0)
        start = 10000 + options.per_feed // 2

        def pages():
            return wrk(replica.url, 32, options.seconds, "page", options.feeds, start, start)

        def while_writing_to(node):
            writing = driver.start_writing(node.http, options.rate, options.seconds + 1,
                                           options.feeds)
            try:
                time.sleep(0.5)
                sample = measured(replica, pages)
            finally:
                found = driver.finish(writing)
            sample.more["writes/s"] = found["writes_per_s"]
            sample.more["commit p50 us"] = found["commit_p50_us"]
            return sample
        pages()
        series = interleave(options.rounds, {
            "writes to its primary": lambda: while_writing_to(primary),
            "writes to another primary": lambda: while_writing_to(unrelated)}, note)
    print_series(series)
    yield Check("replica's pages while it applies", series.median("writes to its primary"),
                series.median("writes to another primary"), 0.9, unit="req/s")


FIGURES = {"lag": lag, "catchup": catchup, "loaded": loaded, "applying": reads_while_applying}
