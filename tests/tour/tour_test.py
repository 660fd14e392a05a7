"""Runs the commands of the README's tour against a fresh cluster and compares what they print.

In the README a line `$ command` is run, and the lines below it are what it prints. `…` stands for anything within a line, a line that
is only `…` for any lines. The tour's addresses are replaced by those of this cluster.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

DEADLINE_S = 120


def wait_for(what, condition):
    until = time.monotonic() + DEADLINE_S
    while not (value := condition()):
        if time.monotonic() > until:
            sys.exit(f"gave up waiting for {what}")
        time.sleep(0.05)
    return value


class Node:
    """A server process; its addresses are in the line that it logs once it has started."""

    def __init__(self, program, name, folder, *flags):
        self.log = folder / f"{name}.log"
        command = [program, "--data", folder / name, "--http", "127.0.0.1:0", *flags]
        self.process = subprocess.Popen(command, stderr=self.log.open("w"))
        line = wait_for(f"{name} to start", lambda: re.search(r"_started .*\n", self.log.read_text()))
        fields = dict(re.findall(r"(\w+)=(\S+)", line.group()))
        self.http, self.replication = fields["http"], fields.get("replication")

    def is_ready(self):
        try:
            return urllib.request.urlopen(f"http://{self.http}/readyz").status == 200
        except OSError:
            return False


def steps(readme):
    """(command, expected lines) of each command in the console blocks."""
    for block in re.findall(r"```console\n(.*?)```", readme, re.S):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = step.partition("\n")
            yield command, expected.splitlines()


def pattern(expected):
    parts = []
    for line in expected:
        parts.append(r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"\n")
    return re.compile("".join(parts))


def script(commands, addresses, bin_dir):
    """One shell for all steps, since later ones use what earlier ones set; a mark ends the output of each."""
    text = ""
    for command in commands:
        for printed, real in addresses.items():
            command = command.replace(printed, real)
        command = command.replace("build/release/bin", str(bin_dir))
        text += f"{command}\nprintf '\\n%s\\n' '--end--'\n"
    return text


def normal(output):
    return output.replace("\r\n", "\n").strip("\n") + "\n" if output.strip() else ""


def compare(tour, outputs, addresses):
    failures = 0
    for (command, expected), output in zip(tour, outputs, strict=True):
        for printed, real in addresses.items():
            output = output.replace(real, printed.replace("localhost", "127.0.0.1"))
        output = normal(output)
        if not pattern(expected).fullmatch(output):
            failures += 1
            print(f"--- $ {command}\nexpected:\n" + "\n".join(expected) + f"\nprinted:\n{output}")
    return failures


def main(readme_file, bin_dir):
    tour = list(steps(pathlib.Path(readme_file).read_text()))
    with tempfile.TemporaryDirectory(prefix="feeds_tour_") as folder:
        folder = pathlib.Path(folder)
        nodes = []
        try:
            nodes.append(Node(f"{bin_dir}/feeds-primary", "primary", folder, "--replication", "127.0.0.1:0"))
            for name in ("replica1", "replica2"):
                nodes.append(Node(f"{bin_dir}/feeds-replica", name, folder, "--primary", nodes[0].replication))
            wait_for("the cluster", lambda: all(node.is_ready() for node in nodes))
            subprocess.run([f"{bin_dir}/feedctl", "populate", "--url", f"http://{nodes[0].http}"], check=True)
            addresses = {f"localhost:{8080 + i}": node.http for i, node in enumerate(nodes)}
            commands = [command for command, _ in tour]
            shell = subprocess.run(
                ["bash", "-c", script(commands, addresses, bin_dir)], capture_output=True, text=True, timeout=4 * DEADLINE_S
            )
            outputs = shell.stdout.split("\n--end--\n")[:-1]
            failures = compare(tour, outputs, addresses)
        finally:
            for node in nodes:
                node.process.terminate()
            for node in nodes:
                node.process.wait(timeout=DEADLINE_S)
    print(f"{len(tour)} steps, {failures} differ from the README")
    return 1 if failures or not tour else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
