"""What a large deletion costs the others."""

import json
import time

from .base import Check, Failed, Sample, Series, get, measured, print_series, run, scratch
from .load import Driver, wrk
from .ours import Cluster
from .social import FIRST, activity_body, make_feeds

COLLECTION = "things"


def load_object(driver, node, name, options):
    driver.post(node, [f'/v1/collections/{COLLECTION}/objects {{"id":"{name}","data":null}}'])
    body = activity_body(name, collection=COLLECTION)
    took = driver.post(node, (f"/v1/feeds/{FIRST + i % options.feeds}/activities {body}"
                              for i in range(options.activities)))
    node.wait_calm()
    return took


def left_of(node, name):
    path = f"/v1/activities?objectId={name}&collectionId={COLLECTION}&limit=1"
    return len(json.loads(get(node.url + path))["activities"])


def delete_object(node, name):
    if left_of(node, name) == 0:
        raise Failed(f"nothing points at {name}")
    run(["curl", "-sf", "-X", "DELETE", f"{node.url}/v1/collections/{COLLECTION}/objects/{name}"])
    if left_of(node, name) != 0:
        raise Failed(f"{name} is gone, and is pointed at")


def until_still(node):
    """When the last commit was; nobody else writes."""
    last, position = time.monotonic(), node.position()
    while time.monotonic() - last < 1:
        time.sleep(0.02)
        now = node.position()
        if now != position:
            last, position = time.monotonic(), now
    return last


def cascade(options, note):
    """Publishes of others, 32 connections, while an object with 1,000,000 activities cascades."""
    driver = Driver(options.build)
    series, outlasted = Series(), True
    with scratch("cascade") as directory, Cluster(options, directory) as cluster:
        node = cluster.primary()
        make_feeds(driver, node, options.feeds)
        driver.post(node, [f'/v1/collections {{"id":"{COLLECTION}","deletingType":"CASCADE"}}'])

        def publishes():
            rate, requests, more = wrk(node.url, 32, options.seconds, "publish", options.feeds,
                                       options.text_bytes)
            return more["p99 us"], requests, {**more, "req/s": rate}
        publishes()
        for number in range(options.heavy_rounds):
            name = f"object-{number}"
            took = load_object(driver, node, name, options)
            note(f"loaded {options.activities:,} activities in {took:.0f} s")
            series.add("alone", Sample(*published(node, publishes)))
            node.wait_calm()
            delete_object(node, name)
            started = time.monotonic()
            sample = Sample(*published(node, publishes))
            published_for = time.monotonic() - started
            sample.more["cascade s"] = until_still(node) - started
            outlasted &= sample.more["cascade s"] > published_for + 0.1
            series.add("while it cascades", sample)
            for contestant in series.samples:
                last = series.samples[contestant][-1]
                note(f"round {number + 1}/{options.heavy_rounds}  {contestant:20} p99 "
                     f"{last.value:,.0f} us  " + "  ".join(f"{key} {value:,.0f}" for key, value
                                                           in last.more.items()))
    print_series(series)
    yield Check("publish while an object cascades, p99", series.median("while it cascades"),
                series.median("alone"), 2.0, at_least=False, unit="us",
                note="" if outlasted else "the cascade ended before the publishes did")


def published(node, publishes):
    sample = measured(node, publishes)
    return sample.value, sample.more


FIGURES = {"cascade": cascade}
