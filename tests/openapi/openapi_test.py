"""Asks a primary for everything its /openapi.json documents and compares the replies with it.

Each step is a request and the status it should have. A reply must have a documented status, content type and
headers, and a body of the documented schema; every operation must have succeeded once. Also every body that is
sent must be one that the document allows.
"""

import json
import pathlib
import re
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tour"))
from tour_test import Node, wait_for  # noqa: E402

BIG = '{"n":1.0,"n":12345678901234567890123,"e":1e5,"s":"\\u0041\\/"}'

# (method, target, body, status). `{x}` is the id of an earlier reply, named by a last element.
STEPS = [
    ("POST", "/v1/feeds", {"userId": "u", "extraData": {"a": [1]}}, 201, "feed"),
    ("POST", "/v1/feeds", None, 201, "other"),
    ("PATCH", "/v1/feeds/{feed}", {"extraData": None}, 200),
    ("POST", "/v1/feeds/{feed}", {"text": "first"}, 201),
    ("POST", "/v1/feeds/{feed}/publishArticle", "second", 201),
    ("GET", "/v1/feeds/{feed}", None, 200),
    ("GET", "/v1/feeds/{feed}?startId=10002", None, 200),
    ("GET", "/v1/feeds/{feed}?startId=99999", None, 400),
    ("GET", "/v1/feeds", None, 200),
    ("GET", "/v1/feeds?limit=1", None, 200),
    ("POST", "/v1/users", None, 201, "user"),
    ("GET", "/v1/users", None, 200),
    ("POST", "/v1/users/{user}/subscribe?feedId={feed}", None, 200),
    ("GET", "/v1/users/{user}", None, 200),
    ("POST", "/v1/users/{user}/consumeFeeds", None, 200),
    ("POST", "/v1/users/{user}/consumeFeeds", {"{feed}": 10001, "{other}": "10000"}, 200),
    ("POST", "/v1/users/{user}/unsubscribe?feedId={feed}", None, 200),
    ("GET", "/v1/counters", None, 200),
    ("POST", "/v1/collections", {"id": "food", "deletingType": "CASCADE"}, 201),
    ("POST", "/v1/collections", {"id": "food", "deletingType": "CASCADE"}, 409),
    ("POST", "/v1/collections", {"deletingType": "SET_NIL"}, 201),
    ("GET", "/v1/collections?limit=1", None, 200),
    ("GET", "/v1/collections/food", None, 200),
    ("POST", "/v1/collections/food/objects", {"id": "a/b %\u2603", "data": {"x": 1}}, 201),
    ("POST", "/v1/collections/food/objects", {}, 201),
    ("GET", "/v1/collections/food/objects", None, 200),
    ("GET", "/v1/collections/food/objects/a%2Fb%20%25%E2%98%83", None, 200),
    ("PUT", "/v1/collections/food/objects/a%2Fb%20%25%E2%98%83", {"data": None}, 200),
    ("GET", "/v1/collections/food/objects/none", None, 404),
    ("POST", "/v1/groupingFeeds", {"userId": "u", "keyFormat": "{{.ActivityType}}_{{.ObjectId}}"}, 201, "group"),
    ("POST", "/v1/groupingFeeds", {"keyFormat": "{{.UserId"}, 400),
    ("GET", "/v1/groupingFeeds/{group}", None, 200),
    ("PATCH", "/v1/groupingFeeds/{group}", {"extraData": {"k": 1.5}}, 200),
    ("POST", "/v1/feeds/{feed}/activities",
     {"objectId": "a/b %\u2603", "collectionId": "food", "time": "2024-05-01T10:00:00.123+02:00", "userId": "u",
      "activityType": "like", "redirectTo": ["{group}"], "extraData": json.loads(BIG)}, 201, "activity"),
    ("POST", "/v1/feeds/{group}/activities", {"time": 1700000000000000000}, 201, "second"),
    ("POST", "/v1/feeds/99999/activities", {}, 404),
    ("PUT", "/v1/feeds/{other}/activities/{activity}", None, 200),
    ("GET", "/v1/feeds/{other}/activities", None, 200),
    ("GET", "/v1/feeds/{group}/activities", None, 404),
    ("DELETE", "/v1/feeds/{other}/activities/{activity}", None, 204),
    ("GET", "/v1/activities/{activity}", None, 200),
    ("GET", "/v1/activities/byObject/a%2Fb%20%25%E2%98%83?collectionId=food", None, 200),
    ("GET", "/v1/activities?objectId=a%2Fb%20%25%E2%98%83&collectionId=food&limit=1", None, 200),
    ("PATCH", "/v1/activities/{activity}", {"extraData": {"deep": [[[]]]}}, 200),
    ("POST", "/v1/activities/{activity}/reactions", {"activityType": "comment"}, 201, "comment"),
    ("POST", "/v1/activities/{comment}/reactions", {"activityType": "reply", "time": 0}, 201, "reply"),
    ("GET", "/v1/activities/{activity}/reactions?depth=3&limit=1", None, 200),
    ("GET", "/v1/activities/{activity}/reactions", None, 200),
    ("GET", "/v1/activities/{reply}/thread?limit=1", None, 200),
    ("GET", "/v1/reactions/{reply}", None, 200),
    ("GET", "/v1/reactions/{activity}", None, 404),
    ("PATCH", "/v1/reactions/{reply}", {"extraData": "x"}, 200),
    ("GET", "/v1/groupingFeeds/{group}/activities?limit=1", None, 200),
    ("GET", "/v1/groupingFeeds/{group}/activities?offsetId={activity}", None, 400),
    ("GET", "/v1/groupingFeeds/{group}/groups/activities?groupKey=_", None, 200),
    ("DELETE", "/v1/reactions/{comment}", None, 204),
    ("GET", "/v1/reactions/{reply}", None, 200),
    ("DELETE", "/v1/collections/food/objects/a%2Fb%20%25%E2%98%83", None, 204),
    ("GET", "/v1/activities/{activity}", None, 404),
    ("DELETE", "/v1/activities/{second}", None, 204),
    ("DELETE", "/v1/groupingFeeds/{group}", None, 204),
    ("DELETE", "/v1/feeds/{feed}", None, 204),
    ("GET", "/v1/cluster", None, 200),
    ("GET", "/v1/digest?check=1", None, 200),
    ("GET", "/v1/digest?space=activities&limit=1", None, 200),
    ("GET", "/v1/digest?position=1-1", None, 404),
    ("GET", "/healthz", None, 200),
    ("GET", "/readyz", None, 200),
    ("GET", "/metrics", None, 200),
    ("GET", "/openapi.json", None, 200),
]


class Mismatch(Exception):
    pass


class Schemas:
    """The part of JSON Schema that the document uses. An unknown keyword is a mismatch, so none goes unchecked."""

    NOTES = {"description", "default", "$ref", "properties", "required"}
    TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}

    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def check(self, value, schema, where):
        schema = self.resolve(schema)
        for keyword, argument in schema.items():
            if keyword in self.NOTES:
                continue
            rule = getattr(self, "check_" + keyword, None)
            if rule is None:
                raise Mismatch(f"{where}: the document uses the unknown keyword {keyword}")
            if not rule(value, argument, schema, where):
                raise Mismatch(f"{where}: {json.dumps(value)[:200]} is not of {keyword} {json.dumps(argument)[:200]}")
        if isinstance(value, dict):
            for name in schema.get("required", []):
                if name not in value:
                    raise Mismatch(f"{where}: member {name} is missing")
            for name, member in schema.get("properties", {}).items():
                if name in value:
                    self.check(value[name], member, f"{where}.{name}")

    def check_type(self, value, types, _schema, _where):
        types = [types] if isinstance(types, str) else types
        is_int = isinstance(value, int) and not isinstance(value, bool)
        return any(is_int if t == "integer" else isinstance(value, self.TYPES[t]) for t in types)

    def check_additionalProperties(self, value, allowed, schema, where):
        for name in value if isinstance(value, dict) else []:
            if name in schema.get("properties", {}):
                continue
            if allowed is False:
                raise Mismatch(f"{where}: member {name} is not documented")
            self.check(value[name], allowed, f"{where}.{name}")
        return True

    def check_items(self, value, schema, _schema, where):
        for i, item in enumerate(value):
            self.check(item, schema, f"{where}[{i}]")
        return True

    def check_oneOf(self, value, choices, _schema, where):
        fitting, reasons = 0, []
        for choice in choices:
            try:
                self.check(value, choice, where)
                fitting += 1
            except Mismatch as mismatch:
                reasons.append(str(mismatch))
        if fitting != 1:
            raise Mismatch(f"{where}: fits {fitting} of the choices: {reasons}")
        return True

    def check_enum(self, value, choices, *_):
        return value in choices

    def check_pattern(self, value, pattern, *_):
        return not isinstance(value, str) or re.search(pattern, value) is not None

    def check_minimum(self, value, least, *_):
        return not isinstance(value, int) or value >= least

    def check_maximum(self, value, most, *_):
        return not isinstance(value, int) or value <= most

    def check_minLength(self, value, least, *_):
        return len(value) >= least

    def check_maxLength(self, value, most, *_):
        return len(value) <= most

    def check_maxItems(self, value, most, *_):
        return len(value) <= most


class Api:
    def __init__(self, address, document):
        self.address = address
        self.document = document
        self.schemas = Schemas(document)
        self.succeeded = set()

    def operation(self, method, target):
        path = target.split("?")[0].split("/")
        best = None
        for pattern in self.document["paths"]:
            parts = pattern.split("/")
            if len(parts) == len(path) and all(p == s or p.startswith("{") for p, s in zip(parts, path)):
                if best is None or pattern.count("{") < best.count("{"):
                    best = pattern
        if best is None or method.lower() not in self.document["paths"][best]:
            raise Mismatch(f"{method} {target} is not documented")
        return best, self.document["paths"][best][method.lower()]

    def ask(self, method, target, body):
        _, operation = self.operation(method, target)
        request = urllib.request.Request(f"http://{self.address}{target}", method=method)
        if body is not None:
            kind = "text/plain" if isinstance(body, str) else "application/json"
            content = operation["requestBody"]["content"]
            if kind == "application/json":
                self.schemas.check(body, content[kind]["schema"], "request")
            request.data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            request.add_header("Content-Type", kind)
        try:
            reply = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            reply = error
        return reply.status, reply.headers, reply.read()

    def step(self, method, target, body, status):
        pattern, operation = self.operation(method, target)
        got, headers, content = self.ask(method, target, body)
        if got != status:
            raise Mismatch(f"answered {got}, not {status}: {content[:300]}")
        key = str(got) if str(got) in operation["responses"] else "default"
        documented = self.schemas.resolve(operation["responses"][key])
        for name in documented.get("headers", {}):
            if name not in headers and name != "Link":
                raise Mismatch(f"header {name} is missing")
        if not documented.get("content"):
            if content:
                raise Mismatch(f"a body that is not documented: {content[:300]}")
            self.succeeded.add((method, pattern))
            return None
        media = headers.get_content_type()
        if media not in documented["content"]:
            raise Mismatch(f"content type {media} is not documented")
        value = json.loads(content) if "json" in media else content.decode()
        self.schemas.check(value, documented["content"][media]["schema"], "reply")
        if key != "default":
            self.succeeded.add((method, pattern))
        return value


def fill(value, names):
    """Puts ids of earlier replies in place of `{name}`; other braces stay."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda m: str(names.get(m[1], m[0])), value)
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if isinstance(value, dict):
        return {fill(k, names): fill(v, names) for k, v in value.items()}
    return value


def main(bin_dir):
    with tempfile.TemporaryDirectory() as folder:
        node = Node(bin_dir / "feeds-primary", "primary", pathlib.Path(folder), "--replication", "127.0.0.1:0")
        try:
            wait_for("the primary to be ready", node.is_ready)
            document = json.load(urllib.request.urlopen(f"http://{node.http}/openapi.json"))
            return run(Api(node.http, document))
        finally:
            node.process.terminate()
            node.process.wait()


def run(api):
    names, failures = {}, 0
    for method, target, body, status, *name in STEPS:
        target, body = fill(target, names), fill(body, names)
        try:
            reply = api.step(method, target, body, status)
            if name:
                names[name[0]] = reply["id"]
        except Mismatch as mismatch:
            print(f"{method} {target}: {mismatch}")
            failures += 1
    for path, item in api.document["paths"].items():
        for method in item:
            if (method.upper(), path) not in api.succeeded:
                print(f"{method.upper()} {path}: never succeeded")
                failures += 1
    print(f"{len(STEPS)} steps, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    started = time.monotonic()
    code = main(pathlib.Path(sys.argv[1]))
    print(f"{time.monotonic() - started:.1f} s")
    sys.exit(code)
