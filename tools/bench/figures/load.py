"""The load generators. Each returns (rate, requests, {further figures})."""

import contextlib
import csv
import glob
import json
import os
import subprocess
import sys

from .base import SOURCE, Failed, run
from .peers import PG_BIN

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
        kinds = [line.strip() for line in out.splitlines() if "errors:" in line or "Non-2xx" in line]
        raise Failed(f"{errors} errors in {requests} requests to {url}: {'; '.join(kinds)}")
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


def pgbench(postgres, connections, seconds, script):
    path = os.path.join(postgres.directory, "script.sql")
    with open(path, "w") as file:
        file.write(script)
    os.chmod(path, 0o644)
    out = postgres.run(f"{PG_BIN}/pgbench", "-h", "127.0.0.1", "-p", str(postgres.port),
                       "-U", "postgres", "-n", "-M", "prepared", "-c", str(connections),
                       "-j", "1", "-T", str(max(1, round(seconds))), "-f", path, "postgres")
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
        newest = max(map(os.path.getmtime, [*sources, os.path.join(HERE, "drive.h")]))
        if not os.path.exists(self.program) or os.path.getmtime(self.program) < newest:
            run(["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", *sources, "-o", self.program,
                 "-pthread"])

    def lag(self, kind, primary, replica, rate, seconds):
        out = run([self.program, "lag", kind, str(primary), str(replica), str(rate),
                   str(seconds)])
        return json.loads(out)

    def post(self, node, lines, connections=256):
        """Posts every line, `PATH BODY`, to our server; returns the seconds it took."""
        with self.start(lines, "post", node.http, connections) as posting:
            return self.finish(posting)["seconds"]

    def redis_pages(self, redis, how, connections, seconds, rows, first_steps):
        """As wrk(): pages of two steps, `plain` or `ahead`, see drive_redis_pages.cc."""
        with self.start(first_steps, "redis-pages", redis.port, connections, seconds, rows,
                        how) as reading:
            found = self.finish(reading)
        return (found["pages"] / found["seconds"], found["pages"],
                {"p50 us": found["p50_us"], "p99 us": found["p99_us"]})

    def start(self, lines, *arguments):
        process = subprocess.Popen([self.program, *map(str, arguments)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        try:
            with contextlib.suppress(BrokenPipeError):  # its exit code tells
                process.stdin.writelines(line + "\n" for line in lines)
                process.stdin.close()
        except BaseException:
            process.kill()
            process.wait()
            raise
        process.stdin = None
        return process

    def start_writing(self, port, rate, seconds, feeds):
        return subprocess.Popen([self.program, "write", "feeds", str(port), str(rate),
                                 str(seconds), str(feeds)], stdout=subprocess.PIPE,
                                stderr=sys.stderr,
                                text=True)

    @staticmethod
    def finish(process):
        out, _ = process.communicate()
        if process.returncode != 0:
            raise Failed(f"{' '.join(process.args[:2])} ended with {process.returncode}")
        return json.loads(out)
