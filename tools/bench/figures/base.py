"""What every figure is made of: directories, ports, processes, rounds, and the table at the end."""

import contextlib
import dataclasses
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Failed(Exception):
    """A figure that could not be measured; the others go on."""


@dataclasses.dataclass
class Options:
    build: str
    rounds: int = 5
    heavy_rounds: int = 3
    seconds: float = 3.0
    articles: int = 1_000_000
    feeds: int = 1_000
    text_bytes: int = 128  # {"id":10500,"text":"..."} of five-digit ids: 150 bytes as served
    threads: int = 1
    rate: int = 2_000
    activities: int = 1_000_000

    @property
    def per_feed(self):
        return self.articles // self.feeds


def scratch_root():
    root = os.environ.get("BENCH_TMP", "/var/tmp")
    kind = subprocess.run(["stat", "-f", "-c", "%T", root], capture_output=True, text=True).stdout
    if kind.strip() in ("tmpfs", "ramfs"):
        raise Failed(f"{root} is in memory: an fsync there costs nothing. Set BENCH_TMP to a disk.")
    return root


@contextlib.contextmanager
def scratch(name):
    # Not private: PostgreSQL and nginx workers may run as other users.
    path = tempfile.mkdtemp(prefix=f"bench-{name}-", dir=scratch_root())
    os.chmod(path, 0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A server that this run started. Stopped by its pid, also when the figure fails."""

    def __init__(self, name, command, log, stop_signal=signal.SIGTERM, **popen):
        self.name, self.log, self.stop_signal = name, log, stop_signal
        self.out = open(log, "ab")
        # Its own process group: an interrupt of the run must not reach it before its turn.
        self.child = subprocess.Popen(command, stdout=self.out, stderr=self.out,
                                      stdin=subprocess.DEVNULL, start_new_session=True, **popen)

    @property
    def pid(self):
        return self.child.pid

    def alive(self):
        return self.child.poll() is None

    def stop(self):
        if self.alive():
            os.kill(self.pid, signal.SIGCONT)
            os.kill(self.pid, self.stop_signal)
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                print(f"{self.name} did not stop in 20 s and is killed", file=sys.stderr)
                self.child.kill()
                self.child.wait()
        self.out.close()

    def tail(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-15:])

    def wait_until(self, ready, seconds=30, pause=0.02):
        end = time.monotonic() + seconds
        while not ready():
            if not self.alive():
                raise Failed(f"{self.name} ended with {self.child.returncode}:\n{self.tail()}")
            if time.monotonic() > end:
                raise Failed(f"{self.name} was not ready in {seconds} s:\n{self.tail()}")
            time.sleep(pause)

    def cpu_seconds(self):
        """Of this process and its children that live (nginx's worker)."""
        return sum(cpu_seconds_of(pid) for pid in [self.pid] + children_of(self.pid))

    def memory_mb(self, field="VmRSS"):
        return memory_of(self.pid, field)


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return [int(child) for child in children.read().split()]
    except OSError:
        return []


def cpu_seconds_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:  # it has ended meanwhile
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS  # utime, stime


def memory_of(pid, field):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise Failed(f"no {field} of {pid}")


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))[:300]}: exit {done.returncode}\n"
                     f"{done.stderr[-800:]}{done.stdout[-800:]}")
    return done.stdout


def get(url, timeout=10):
    with urllib.request.urlopen(url, timeout=timeout) as reply:
        return reply.read()


def answers(url):
    try:
        get(url, timeout=2)
        return True
    except OSError:
        return False


# --- rounds ---------------------------------------------------------------------------------

@dataclasses.dataclass
class Sample:
    """One round of one contestant. `more` are further figures by name."""
    value: float
    more: dict = dataclasses.field(default_factory=dict)


class Series:
    """Samples by contestant, in the order in which they were taken."""

    def __init__(self):
        self.samples = {}

    def add(self, contestant, sample):
        self.samples.setdefault(contestant, []).append(sample)

    def values(self, contestant, key=None):
        taken = self.samples.get(contestant, [])
        if key is None:
            return [sample.value for sample in taken]
        return [sample.more[key] for sample in taken if sample.more.get(key) is not None]

    def median(self, contestant, key=None):
        values = self.values(contestant, key)
        return statistics.median(values) if values else None


def interleave(rounds, contestants, note=None):
    """Takes one sample of each contestant in turn, `rounds` times."""
    series = Series()
    for number in range(rounds):
        for name, measure in contestants.items():
            sample = measure()
            series.add(name, sample)
            if note:
                note(f"round {number + 1}/{rounds}  {name:34} {text(sample.value):>10}  "
                     + "  ".join(f"{key} {text(value)}" for key, value in sample.more.items()
                                 if value is not None))
    return series


def measured(process, work):
    """Runs work() -> (value, requests, more) and adds what it cost the server and the load."""
    before, started = process.cpu_seconds(), time.monotonic()
    load_before = os.times()
    value, requests, more = work()
    wall = time.monotonic() - started
    load = os.times()
    cpu = process.cpu_seconds() - before
    more = dict(more)
    if requests:
        more["cpu us"] = cpu / requests * 1e6
    more["server %"] = cpu / wall * 100
    more["load %"] = ((load.children_user - load_before.children_user)
                      + (load.children_system - load_before.children_system)) / wall * 100
    return Sample(value, more)


# --- what is printed ------------------------------------------------------------------------

@dataclasses.dataclass
class Check:
    """One line of the table: ours over the peer's, against its bar."""
    what: str
    ours: float
    peer: float
    bar: float
    at_least: bool = True
    unit: str = ""
    note: str = ""

    @property
    def ratio(self):
        return self.ours / self.peer if self.ours is not None and self.peer else None

    @property
    def met(self):
        if self.ratio is None:
            return None
        return self.ratio >= self.bar if self.at_least else self.ratio <= self.bar

    def row(self):
        verdict = {True: "met", False: "MISSED", None: "not measured"}[self.met]
        sign = ">=" if self.at_least else "<="
        return [self.what, text(self.ours), text(self.peer), self.unit, text(self.ratio),
                f"{sign} {self.bar:g}", verdict, self.note]


def text(number):
    if number is None:
        return "-"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    if abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def table(rows, out=sys.stdout):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip(),
              file=out, flush=True)


def print_series(series):
    for contestant, samples in series.samples.items():
        values = [sample.value for sample in samples]
        keys = dict.fromkeys(key for sample in samples for key in sample.more)
        more = "  ".join(f"{key} {text(series.median(contestant, key))}" for key in keys
                         if series.median(contestant, key) is not None)
        print(f"  {contestant:34} median {text(statistics.median(values)):>9}"
              f"  [{text(min(values))} to {text(max(values))}]  {more}", flush=True)
