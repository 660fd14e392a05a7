"""Each house rule finds what it is there for, and nothing else."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = sys.argv.pop(1)
SKIP = "GTEST_" + "SKIP"  # in two pieces: this file is judged too
OFF = "DISABLED" + "_"
TO_DO = "TO" + "DO"
FIX_ME = "FIX" + "ME"


def judge(tree):
    """The findings in a tree of {path: text}, and the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, TIDY, folder], capture_output=True, text=True, check=False)
        return done.stdout.splitlines()[:-1], done.returncode


class HouseRules(unittest.TestCase):
    def refuses(self, path, text, rule):
        findings, code = judge({path: text})
        self.assertEqual(len(findings), 1, findings)
        self.assertIn(rule, findings[0])
        self.assertTrue(findings[0].startswith(path + ":"), findings[0])
        self.assertEqual(code, 1)

    def takes(self, path, text):
        self.assertEqual(judge({path: text}), ([], 0))

    def test_arrows(self):
        self.refuses("common/base/a.cc", '#include "common/keys/b.h"\n', "base may not include keys, only nothing")
        self.refuses("common/keys/a.cc", '#include "common/store/b.h"\n', "keys may not include store")
        self.refuses("common/store/a.cc", '#include "common/http/b.h"\n', "store may not include http")
        self.refuses("common/feeds/a.cc", '#include "common/http/b.h"\n', "feeds may not include http")
        self.refuses("common/config/a.cc", '#include "primary/app.h"\n', "config may not include primary")
        self.refuses("primary/a.cc", '#include "replica/app.h"\n', "primary may not include replica")
        self.refuses("replica/sub/a.cc", '#include "primary/app.h"\n', "replica may not include primary")
        self.refuses("common/http/a.cc", '#include "schema/replication.capnp.h"\n', "http may not include schema")
        self.refuses("common/http/a.cc", '#include "tests/support/x.h"\n', "product code includes no tests")
        self.refuses("common/novel/a.cc", '#include "common/base/b.h"\n', "novel is not in the table")
        self.takes("common/feeds/a.cc", '#include "common/store/b.h"\n#include "common/feeds/c.h"\n#include <map>\n')
        self.takes("primary/a.cc", '#include "common/wire/b.h"\n#include "schema/replication.capnp.h"\n')
        self.takes("tests/unit/a_test.cc", '#include "primary/app.h"\n#include "replica/app.h"\n')

    def test_confined_headers(self):
        self.refuses("common/feeds/a.cc", "#include <rocksdb/db.h>\n", "go through common/store")
        self.refuses("primary/commit/a.cc", "#include <rocksdb/db.h>\n", "go through common/store")
        self.refuses("primary/commit/a.cc", "#include <kj/async.h>\n", "keep Cap'n Proto in")
        self.refuses("replica/a.cc", "#include <capnp/message.h>\n", "keep Cap'n Proto in")
        self.refuses("tools/feedctl/verify.cc", "#include <boost/beast/http.hpp>\n", "go through common/http")
        self.takes("common/store/a.cc", "#include <rocksdb/db.h>\n")
        self.takes("primary/replication/a.cc", "#include <kj/async.h>\n")
        self.takes("tools/feedctl/client.cc", "#include <boost/beast/http.hpp>\n")
        self.takes("tests/http/a_test.cc", "#include <boost/beast/http.hpp>\n#include <rocksdb/db.h>\n")

    def test_sleeping(self):
        self.refuses("common/http/a.cc", "std::this_thread::sleep_for(1s);\n", "no sleeping")
        self.refuses("replica/a.cc", "  ::usleep(5);\n", "no sleeping")
        self.refuses("primary/a.cc", "sleep(1);\n", "no sleeping")
        self.takes("primary/a.cc", "// It never calls sleep_for.\nwake_or_sleep(1);\nthread.sleep(1);\n")

    def test_switched_off_tests(self):
        self.refuses("tests/unit/a_test.cc", f"TEST(A, {OFF}B) {{}}\n", "no test is switched off")
        self.refuses("tests/unit/a_test.cc", f"{SKIP}();\n", "no test is switched off")

    def test_unfinished(self):
        self.refuses("common/http/a.cc", f"// {TO_DO}: later\n", "without a kind")
        self.refuses("tools/dev", f"# {FIX_ME} soon\n", "without a kind")
        self.refuses("common/http/a.cc", f"// {TO_DO}(someone): later\n", "without a kind")
        self.takes("common/http/a.cc", f"// {TO_DO}(perf): one copy less\n")

    def test_shape(self):
        self.refuses("common/http/a.cc", "int a;\n" * 501, "501 lines")
        self.takes("common/http/a.cc", "int a;\n" * 500)
        self.refuses("common/http/a.h", "int a;\n", "#pragma once")

    def test_nothing_to_judge(self):
        self.assertEqual(judge({})[1], 1)
        self.assertEqual(judge({"build/a.cc": f"{SKIP}();\n", "README.md": "x"})[1], 1)


if __name__ == "__main__":
    unittest.main()
