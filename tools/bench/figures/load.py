"""The load generators. Each returns (rate, requests, {further figures})."""

import csv
import glob
import json
import os
import subprocess
import sys

from .base import SOURCE, Failed, run
from .peers import PG_BIN, item

HERE = os.path.join(SOURCE, "tools", "bench")


def wrk(url, connections, seconds, *request):
    """`request` as requests.lua takes it."""
    out = run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s",
               os.path.join(HERE, "requests.lua"), url, "--", *map(str, request)])
    line = next((line for line in out.splitlines() if line.startswith("RESULT ")), None)
    if line is None:
        raise Failed("wrk printed no result:\n" + out)
    requests, microseconds, errors, p50, p99 = map(int, line.split()[1:])
    if errors or not requests:
        raise Failed(f"{errors} errors in {requests} requests to {url}")
    return requests / microseconds * 1e6, requests, {"p50 us": p50, "p99 us": p99}


def redis_benchmark(port, connections, requests, feeds, *command):
    """`__rand_int__` in the command is a number below `feeds`, in 12 digits."""
    out = run(["redis-benchmark", "-p", str(port), "-c", str(connections), "-n", str(requests),
               "-r", str(feeds), "--csv", *command])
    row = next(csv.reader([out.strip().splitlines()[-1]]))
    rate, _, _, p50, _, p99, _ = map(float, row[-7:])
    return rate, requests, {"p50 us": p50 * 1000, "p99 us": p99 * 1000}


def redis_for_seconds(port, connections, seconds, feeds, *command):
    """redis-benchmark counts requests: a short run tells how many fill the time."""
    guess = max(200, 50 * connections)
    rate, _, _ = redis_benchmark(port, connections, guess, feeds, *command)
    rate, _, _ = redis_benchmark(port, connections, max(guess, int(rate * 0.3)), feeds, *command)
    count = max(guess, int(rate * seconds))
    return lambda: redis_benchmark(port, connections, count, feeds, *command)


def pgbench(postgres, connections, seconds, feeds):
    script = os.path.join(postgres.directory, "insert.sql")
    with open(script, "w") as file:
        file.write(f"\\set f random(0, {feeds - 1})\n"
                   f"insert into items(feed, body) values (:f, $v${item(1)}$v$);\n")
    os.chmod(script, 0o644)
    out = postgres.run(f"{PG_BIN}/pgbench", "-h", "127.0.0.1", "-p", str(postgres.port),
                       "-U", "postgres", "-n", "-M", "prepared", "-c", str(connections),
                       "-j", "1", "-T", str(max(1, round(seconds))), "-f", script, "postgres")
    lines = out.splitlines()
    rate = next(float(line.split()[2]) for line in lines if line.startswith("tps"))
    latency = next(float(line.split()[3]) for line in lines if line.startswith("latency average"))
    return rate, None, {"avg us": latency * 1000}


# --- our own driver -------------------------------------------------------------------------

class Driver:
    """drive.cc, compiled when it is newer than its program."""

    def __init__(self, build):
        self.program = os.path.join(build, "bin", "bench-drive")
        sources = glob.glob(os.path.join(HERE, "drive*.cc"))
        newest = max(map(os.path.getmtime, sources))
        if not os.path.exists(self.program) or os.path.getmtime(self.program) < newest:
            run(["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", *sources, "-o", self.program,
                 "-pthread"])

    def lag(self, kind, primary, replica, rate, seconds):
        out = run([self.program, "lag", kind, str(primary), str(replica), str(rate),
                   str(seconds)])
        return json.loads(out)

    def start_writing(self, port, rate, seconds, feeds):
        return subprocess.Popen([self.program, "write", "feeds", str(port), str(rate),
                                 str(seconds), str(feeds)], stdout=subprocess.PIPE,
                                stderr=sys.stderr,
                                text=True)

    @staticmethod
    def finish_writing(writing):
        out, _ = writing.communicate()
        if writing.returncode != 0:
            raise Failed(f"bench-drive write ended with {writing.returncode}")
        return json.loads(out)
