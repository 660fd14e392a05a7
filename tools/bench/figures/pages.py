"""Pages of 50 articles: our server beside nginx with the same bytes and beside Redis's ranges."""

import os

from .base import Check, Sample, interleave, measured, print_series, run, scratch
from .load import redis_for_seconds, wrk
from .ours import Cluster, check_item_size, page_bytes
from .peers import Nginx, Redis, assert_one_worker

ON, OFF = "nginx, sendfile on", "nginx, sendfile off"


def middle(options):
    return 10000 + options.per_feed // 2


def copy_pages(node, www, options, start):
    """A file for each feed, at the path that our server has; nginx ignores the query."""
    os.makedirs(os.path.join(www, "v1", "feeds"))
    for feed in range(10000, 10000 + options.feeds):
        with open(os.path.join(www, "v1", "feeds", str(feed)), "wb") as file:
            file.write(page_bytes(node, feed, start))


class Servers:
    """The loaded primary, and nginx twice for each kind of page that is asked for."""

    def __init__(self, options, note):
        self.options, self.note, self.started = options, note, []

    def __enter__(self):
        self.scratch = scratch("pages")
        self.directory = self.scratch.__enter__()
        self.cluster = Cluster(self.options, self.directory).__enter__()
        try:
            self.primary = self.cluster.primary()
            self.note(f"loading {self.options.articles:,} articles")
            self.cluster.populate(self.primary)
            check_item_size(self.primary)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.stop()
        self.cluster.__exit__()
        self.scratch.__exit__(None, None, None)

    def nginx(self, kind, start):
        www = os.path.join(self.directory, f"www-{kind}")
        copy_pages(self.primary, www, self.options, start)
        servers = {}
        for name, sendfile in ((ON, True), (OFF, False)):
            server = Nginx(os.path.join(self.directory, f"nginx-{kind}-{sendfile}"), www, sendfile)
            self.started.append(server)
            server.wait_ready("/v1/feeds/10000")
            assert_one_worker(server)
            servers[name] = server
        return servers

    def redis(self):
        server = Redis(os.path.join(self.directory, "redis"))
        self.started.append(server)
        server.load(self.options.feeds, self.options.per_feed)
        return server

    def rocksdb_alone(self, start):
        """The same pages without HTTP and sockets: what no server that scans it can go below."""
        build = self.options.build
        run(["cmake", "--build", build, "--target", "page-scan"])
        command = [os.path.join(build, "bin", "page-scan"),
                   os.path.join(self.primary.directory, "data", "db"), str(self.options.feeds),
                   str(start), str(self.options.seconds)]

        def once():
            microseconds = float(run(command))
            return Sample(1e6 / microseconds, {"cpu us": microseconds})
        return once

    def by_wrk(self, process, connections, *request):
        seconds = self.options.seconds

        def once():
            return measured(process, lambda: wrk(process.url, connections, seconds, *request))
        return once


def compare(servers, nginx, connections, request, others=()):
    contestants = {"feeds": servers.by_wrk(servers.primary, connections, *request)}
    for name, server in nginx.items():
        contestants[name] = servers.by_wrk(server, connections, *request)
    contestants.update(others)
    # A warm cache on all sides, as after a minute of service.
    for server in [servers.primary, *nginx.values()]:
        wrk(server.url, connections, 1, *request)
    series = interleave(servers.options.rounds, contestants, servers.note)
    print_series(series)
    best = max((ON, OFF), key=series.median)
    return series, best


def against_nginx(what, series, best, bar):
    load = series.median(best, "load %"), series.median("feeds", "load %")
    note = "by " + best
    if max(load) > 95:
        note += "; the generator is at its limit"
    return Check(what, series.median("feeds"), series.median(best), bar, unit="req/s", note=note)


def page(options, note, servers):
    """Pages by startId of a random feed, 32 connections and one."""
    start = middle(options)
    request = ("page", options.feeds, start, start)
    nginx = servers.nginx("page", start)
    redis = servers.redis()
    xrange = redis_for_seconds(redis.port, 32, options.seconds, options.feeds, "XRANGE",
                               "feed:__rand_int__", f"{options.per_feed // 2}-1", "+", "COUNT",
                               "50")
    others = {"redis XRANGE": lambda: measured(redis, xrange),
              "RocksDB alone": servers.rocksdb_alone(start)}
    series, best = compare(servers, nginx, 32, request, others)
    cheapest = min((ON, OFF), key=lambda name: series.median(name, "cpu us"))
    yield against_nginx("page by startId, c32, to nginx", series, best, 0.58)
    yield Check("page by startId, c32, to Redis XRANGE", series.median("feeds"),
                series.median("redis XRANGE"), 1.0, unit="req/s")
    yield Check("page by startId, c32, server CPU a request", series.median("feeds", "cpu us"),
                series.median(best, "cpu us"), 1.9, at_least=False, unit="us",
                note=f"by {best}; the cheaper is {cheapest}")
    yield Check("page by startId, c32, CPU, to the least possible (no bar)",
                series.median("feeds", "cpu us"),
                series.median(best, "cpu us") + series.median("RocksDB alone", "cpu us"), 0,
                unit="us", note=f"RocksDB alone and {best}: what a scan and a reply cost")

    note("one connection")
    series, best = compare(servers, nginx, 1, request)
    yield against_nginx("page by startId, c1, to nginx", series, best, 0.85)


def newest(options, note, servers):
    """The newest page of a random feed, 32 connections."""
    request = ("newest", options.feeds)
    nginx = servers.nginx("newest", None)
    series, best = compare(servers, nginx, 32, request)
    yield against_nginx("newest page, c32, to nginx", series, best, 0.62)


def anywhere(options, note, servers):
    """No bar: any start of any feed, so that the whole data set is read, not one block a feed."""
    request = ("page", options.feeds, 10000, 10000 + max(0, options.per_feed - 51))
    nginx = servers.nginx("anywhere", middle(options))
    series, best = compare(servers, nginx, 32, request)
    yield against_nginx("page by any startId, c32 (no bar)", series, best, 0)


FIGURES = {"page": page, "newest": newest, "anywhere": anywhere}
