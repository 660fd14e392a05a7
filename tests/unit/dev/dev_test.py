"""tools/dev and tools/rocksdb where it could do harm: other processes, other people's files, wrong words."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEV = sys.argv.pop(1)


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def run_dev(self, *arguments):
        env = {k: v for k, v in os.environ.items() if not k.startswith("FEEDS_")}
        env["FEEDS_DEV_DIR"] = self.folder.name
        return subprocess.run([DEV, *arguments], env=env, capture_output=True, text=True, check=False, timeout=120)

    def name_pid(self, node, pid):
        (self.path / "run").mkdir(exist_ok=True)
        (self.path / "run" / f"{node}.pid").write_text(f"{pid}\n")

    def test_down_leaves_other_processes_alone(self):
        # A pid file that outlived its node, and the pid given to another process since: one that even
        # names the node's data.
        other = subprocess.Popen(["tail", "-f", "/dev/null", str(self.path / "primary")],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.name_pid("primary", other.pid)
        done = self.run_dev("down")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("primary does not run", done.stdout)
        self.assertIsNone(other.poll())
        self.assertFalse((self.path / "run" / "primary.pid").exists())

    def test_senseless_pid_files_stop_nothing(self):
        for text in ("", "1", "-1", "abc", "99999999"):
            self.name_pid("replica1", text)
            done = self.run_dev("down")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("replica1 does not run", done.stdout)

    def test_clean_removes_what_up_made_and_nothing_else(self):
        for name in ("primary/db", "replica1/db", "replica2/db", "log/primary.log", "mine/file"):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text("x")
        self.assertEqual(self.run_dev("clean").returncode, 0)
        self.assertEqual([p.name for p in self.path.iterdir()], ["mine"])
        self.assertTrue((self.path / "mine/file").exists())

    def test_status_of_nothing_fails(self):
        done = self.run_dev("status")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing runs", done.stdout)

    def test_wrong_words_are_refused(self):
        for arguments in (["nonsense"], ["up", "--nonsense"], ["build", "--preset", "nonsense"], ["up", "stray"]):
            done = self.run_dev(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn("tools/dev: unknown", done.stderr)

    def test_help_names_every_command(self):
        done = self.run_dev("help")
        self.assertEqual(done.returncode, 0)
        for command in ("up", "down", "status", "test", "build", "install", "clean"):
            self.assertRegex(done.stdout, rf"(?m)^  {command} ")

    def test_another_archive_than_rocksdb_is_not_built(self):
        script = self.path / "tools" / "rocksdb"
        script.parent.mkdir()
        shutil.copy(Path(DEV).with_name("rocksdb"), script)
        archive = self.path / "archive.tar.gz"
        archive.write_text("something else")
        for url in (archive.as_uri(), (self.path / "nothing").as_uri()):
            done = subprocess.run([script], env={**os.environ, "FEEDS_ROCKSDB_URL": url},
                                  capture_output=True, text=True, check=False, timeout=120)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("SHA-256" if url == archive.as_uri() else "curl", done.stderr)
            self.assertFalse((self.path / "build" / "rocksdb" / "source.tar.gz").exists())


if __name__ == "__main__":
    unittest.main()
