"""Our own programs: a primary and its replicas on loopback, each in a directory of its own."""

import json
import os
import time

from .base import Failed, Process, answers, free_port, get, run


class Node(Process):
    def __init__(self, options, role, directory, primary=None):
        self.directory = directory
        self.http = free_port()
        self.replication = free_port() if role == "primary" else None
        os.makedirs(directory)
        config = os.path.join(directory, "config.yml")
        with open(config, "w") as file:
            file.write(f"http:\n  threads: {options.threads}\nlogging:\n  level: warn\n")
        command = [os.path.join(options.build, "bin", f"feeds-{role}"), "--config", config,
                   "--data", os.path.join(directory, "data"), "--http", f"127.0.0.1:{self.http}"]
        if role == "primary":
            command += ["--replication", f"127.0.0.1:{self.replication}"]
        else:
            command += ["--primary", f"127.0.0.1:{primary.replication}"]
        self.started = time.monotonic()
        super().__init__(f"feeds-{role}", command, os.path.join(directory, "log"))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    def cluster(self):
        return json.loads(get(self.url + "/v1/cluster"))

    def position(self):
        try:
            return sequence(self.cluster()["position"])
        except OSError:
            return -1

    def wait_ready(self, seconds=30, pause=0.02):
        self.wait_until(lambda: answers(self.url + "/readyz"), seconds, pause)

    def wait_position(self, wanted, seconds=300, pause=0.005):
        self.wait_until(lambda: self.position() >= wanted, seconds, pause)

    def wait_calm(self, seconds=120):
        """Until it has nothing to do: what a load left to merge is merged, deletions are done."""
        def calm():
            before = self.cpu_seconds(), self.position()
            time.sleep(0.5)
            return self.position() == before[1] and self.cpu_seconds() - before[0] <= 0.02
        # Its last flush comes up to 4 s after the last write, and a merge 5 s after that.
        self.wait_until(lambda: all(calm() for _ in range(20)), seconds)


def sequence(position):
    return int(position.split("-")[1]) if position else -1


class Cluster:
    """Use as a context: what was started in it is stopped at its end."""

    def __init__(self, options, directory):
        self.options, self.directory, self.nodes, self.made = options, directory, [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in reversed(self.nodes):
            node.stop()

    def _start(self, role, primary=None):
        self.made += 1
        directory = os.path.join(self.directory, f"feeds-{self.made}")
        node = Node(self.options, role, directory, primary)
        self.nodes.append(node)
        return node

    def primary(self):
        node = self._start("primary")
        node.wait_ready()
        return node

    def replica(self, primary, ready=True):
        node = self._start("replica", primary)
        if ready:
            node.wait_ready()
            node.wait_position(primary.position())
        return node

    def stop(self, node):
        node.stop()
        self.nodes.remove(node)

    def feedctl(self, *arguments):
        return run([os.path.join(self.options.build, "bin", "feedctl"), *map(str, arguments)])

    def populate(self, node, feeds=None, articles=None):
        """Articles in feeds 10000 and on, whose ids begin at 10000; returns the seconds it took."""
        options = self.options
        feeds = options.feeds if feeds is None else feeds
        articles = options.per_feed if articles is None else articles
        before = time.monotonic()
        self.feedctl("populate", "--url", node.url, "--feeds", feeds, "--articles", articles,
                     "--users", 0, "--text-bytes", options.text_bytes, "--connections", 128)
        return time.monotonic() - before


def page_bytes(node, feed, start=None):
    query = f"?startId={start}" if start else ""
    return get(f"{node.url}/v1/feeds/{feed}{query}")


def check_item_size(node, wanted=150):
    page = json.loads(page_bytes(node, 10000, 10000))
    size = len(json.dumps(page["articles"][0], separators=(",", ":")))
    if size != wanted:
        raise Failed(f"an article is served in {size} bytes, not {wanted}")
