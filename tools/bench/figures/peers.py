"""The peers, each started in a directory of its own on a loopback port."""

import os
import pwd
import signal
import socket
import subprocess
import time

from .base import Failed, Process, answers, children_of, free_port, run

PG_BIN = os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin")
ITEM_BYTES = 150


# --- nginx ----------------------------------------------------------------------------------

class Nginx(Process):
    """One worker that serves `www`, whose files lie at the paths that our server has."""

    def __init__(self, directory, www, sendfile):
        self.http = free_port()
        os.makedirs(os.path.join(directory, "tmp"))
        config = os.path.join(directory, "nginx.conf")
        user = pwd.getpwuid(os.getuid()).pw_name
        temporary = "\n  ".join(f"{kind}_temp_path {directory}/tmp;" for kind in
                                ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(config, "w") as file:
            file.write(f"""daemon off;
{f"user {user};" if os.getuid() == 0 else ""}
worker_processes 1;
pid {directory}/pid;
error_log {directory}/error warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/json;
  sendfile {"on" if sendfile else "off"};
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 3600;
  keepalive_requests 1000000000;
  etag off;
  open_file_cache max=100000 inactive=1h;
  open_file_cache_valid 1h;
  {temporary}
  server {{ listen 127.0.0.1:{self.http}; root {www}; }}
}}
""")
        super().__init__(f"nginx (sendfile {'on' if sendfile else 'off'})",
                         ["nginx", "-p", directory, "-c", config, "-e", f"{directory}/error"],
                         os.path.join(directory, "log"), stop_signal=signal.SIGTERM)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    def wait_ready(self, path):
        self.wait_until(lambda: answers(self.url + path))


# --- Redis ----------------------------------------------------------------------------------

class Redis(Process):
    """`fsync` None: nothing on disk, as the replica of the published comparisons."""

    def __init__(self, directory, fsync=None, primary=None):
        self.port = free_port()
        os.makedirs(directory)
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1",
                   "--dir", directory, "--save", "", "--daemonize", "no",
                   "--repl-backlog-size", "1gb", "--repl-timeout", "600",
                   "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0",
                   "--client-output-buffer-limit", "replica 0 0 0",
                   "--auto-aof-rewrite-percentage", "0"]
        if fsync:
            command += ["--appendonly", "yes", "--appendfsync", fsync]
        if primary:
            command += ["--replicaof", "127.0.0.1", str(primary.port)]
        self.started = time.monotonic()
        super().__init__("redis-server", command, os.path.join(directory, "log"))
        self.wait_until(self.answers)

    def answers(self):
        try:
            return self.command("PING") == b"+PONG"
        except OSError:
            return False

    def command(self, *words):
        """The reply's first line, or the bulk string that follows it."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
            connection.sendall(encode(*words))
            with connection.makefile("rb") as reply:
                line = reply.readline().rstrip()
                return reply.read(int(line[1:])) if line.startswith(b"$") else line

    def info(self, section):
        lines = self.command("INFO", section).decode().split("\r\n")
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def caught_up_with(self, primary):
        here = self.info("replication")
        if here.get("master_link_status") != "up":
            return False
        there = primary.info("replication")
        return int(here["slave_repl_offset"]) >= int(there["master_repl_offset"])

    def load(self, feeds, per_feed):
        """Streams feed:000000000000 and on, with entries 1-1, 2-1 and on of one field."""
        self.pipe(b"".join(encode("XADD", f"feed:{feed:012d}", f"{number}-1", "d", item(number))
                           for feed in range(feeds))
                  for number in range(1, per_feed + 1))

    def pipe(self, commands):
        with subprocess.Popen(["redis-cli", "-p", str(self.port), "--pipe"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as pipe:
            pipe.stdin.writelines(commands)
            pipe.stdin.close()
            if pipe.wait() != 0:
                raise Failed("redis-cli --pipe failed")


def encode(*words):
    parts = [f"*{len(words)}\r\n".encode()]
    for word in words:
        word = word if isinstance(word, bytes) else word.encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


def item(number):
    head = f'{{"id":{10000 + number},"text":"'
    return head + "x" * (ITEM_BYTES - len(head) - 2) + '"}'


# --- PostgreSQL -----------------------------------------------------------------------------

class Postgres:
    """One server, without tables. As root it runs as the user postgres."""

    def __init__(self, directory):
        self.port, self.directory = free_port(), directory
        os.makedirs(directory)
        self.user = []
        if os.getuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(directory, account.pw_uid, account.pw_gid)
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        data = os.path.join(directory, "data")
        self.run(f"{PG_BIN}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        # SIGINT is the fast shutdown: it does not wait for clients.
        self.server = Process(
            "postgres",
            [*self.user, f"{PG_BIN}/postgres", "-D", data, "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={directory}",
             "-c", "shared_buffers=512MB", "-c", "max_connections=300", "-c", "max_wal_size=8GB",
             "-c", "synchronous_commit=on", "-c", "fsync=on"],
            os.path.join(directory, "log"), stop_signal=signal.SIGINT, cwd=directory)

    def wait_ready(self):
        self.server.wait_until(lambda: subprocess.run(
            [f"{PG_BIN}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode
            == 0)

    def sql(self, text):
        return self.run("psql", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p",
                        str(self.port), "-U", "postgres", "-c", text)

    def run(self, *command, **options):
        return run([*self.user, *command], cwd=self.directory, **options)

    def stop(self):
        self.server.stop()


def assert_one_worker(nginx):
    if len(children_of(nginx.pid)) != 1:
        raise Failed("nginx does not run exactly one worker")
