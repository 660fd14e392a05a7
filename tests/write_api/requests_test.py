"""How a primary judges requests on activities, reactions, collections and grouping feeds.

Each case is a request and what its reply must be: status, code of the problem, and what its detail must name.
"""

import http.client
import json
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tour"))
from tour_test import DEADLINE_S, Node, wait_for  # noqa: E402

FEED, GROUP, WALL = 10000, 10001, 10002
POST, REPLY = 10000, 10001
LONG = "x" * 513


def activity(**members):
    return json.dumps(members)


ADD = f"/v1/feeds/{FEED}/activities"
# (method, target, body, status, code, what the detail names)
CASES = [
    # bodies
    ("POST", ADD, "", 400, "missing_body", ""),
    ("POST", ADD, "[]", 400, "bad_json", "object"),
    ("POST", ADD, '{"userId":"a"', 400, "bad_json", ""),
    ("POST", ADD, '{"userId":"\\ud800"}', 400, "bad_json", ""),
    ("POST", ADD, b'{"userId":"\xff"}', 400, "bad_json", ""),
    ("POST", ADD, '{"extraData":' + "[" * 65 + "]" * 65 + "}", 400, "bad_json", "64"),
    ("POST", ADD, activity(nope=1), 400, "unknown_member", "nope"),
    ("POST", ADD, activity(linkedActivityId="10000"), 400, "unknown_member", "linkedActivityId"),
    ("POST", ADD, '{"userId":"a","userId":"b"}', 400, "duplicate_member", "userId"),
    ("POST", ADD, activity(objectId=5), 400, "bad_member", "objectId"),
    ("POST", ADD, activity(objectId="deleted"), 400, "bad_member", "objectId"),
    ("POST", ADD, activity(objectId=LONG), 400, "bad_member", "objectId"),
    ("POST", ADD, activity(collectionId=LONG), 400, "bad_member", "collectionId"),
    ("POST", ADD, activity(userId=LONG), 400, "bad_member", "userId"),
    ("POST", ADD, activity(userId=1.5), 400, "bad_member", "userId"),
    ("POST", ADD, activity(userId=["a"]), 400, "bad_member", "userId"),
    ("POST", ADD, activity(activityType="é" * 257), 400, "bad_member", "activityType"),
    ("POST", ADD, activity(activityType=True), 400, "bad_member", "activityType"),
    # times
    *[("POST", ADD, '{"time":%s}' % time, 400, "bad_member", "time") for time in [
        '"yesterday"', '"2024-05-01T10:00:00"', '"2024-05-01 10:00:00Z"', '"2024-02-30T00:00:00Z"',
        '"2024-05-01T10:00:00.1234567890Z"', '"2300-01-01T00:00:00Z"', '"1600-01-01T00:00:00Z"', '""', '"0"',
        "1.0", "1e3", "9223372036854775808", "true", "{}"]],
    # redirects
    ("POST", ADD, activity(redirectTo=5), 400, "bad_member", "redirectTo"),
    *[("POST", ADD, '{"redirectTo":[%s]}' % item, 400, "bad_member", "redirectTo") for item in [
        '"+10000"', '"010000"', "10000.0", "-1", "null", "[10000]", '"a"', '""', "1e4", "99999999999999999999"]],
    ("POST", ADD, activity(redirectTo=list(range(20000, 20101))), 400, "bad_member", "100"),
    ("POST", ADD, activity(redirectTo=[WALL, 77777]), 404, "no_such_feed", "77777"),
    # paths
    ("POST", "/v1/feeds/77777/activities", "{}", 404, "no_such_feed", "77777"),
    ("POST", "/v1/feeds/010000/activities", "{}", 400, "bad_path", "feedId"),
    ("POST", "/v1/feeds/77777/activities", activity(nope=1), 400, "unknown_member", "nope"),
    ("PUT", f"/v1/feeds/77777/activities/{POST}", "", 404, "no_such_feed", "77777"),
    ("PUT", f"/v1/feeds/{WALL}/activities/77777", "", 404, "no_such_activity", "77777"),
    ("PUT", f"/v1/feeds/{WALL}/activities/x", "", 400, "bad_path", "activityId"),
    ("DELETE", f"/v1/feeds/{WALL}/activities/{POST}", "", 404, "no_such_activity", str(WALL)),
    ("PATCH", "/v1/activities/77777", '{"extraData":1}', 404, "no_such_activity", "77777"),
    ("PATCH", f"/v1/activities/{POST}", "{}", 400, "missing_member", "extraData"),
    ("PATCH", f"/v1/activities/{POST}", "", 400, "missing_body", ""),
    ("PATCH", f"/v1/activities/{POST}", activity(extraData=1, userId="b"), 400, "unknown_member", "userId"),
    ("DELETE", "/v1/activities/77777", "", 404, "no_such_activity", "77777"),
    ("POST", "/v1/activities/77777/reactions", "{}", 404, "no_such_activity", "77777"),
    ("POST", f"/v1/activities/{POST}/reactions", activity(objectId="a"), 400, "unknown_member", "objectId"),
    ("POST", f"/v1/activities/{POST}/reactions", "", 400, "missing_body", ""),
    ("PATCH", f"/v1/reactions/{POST}", '{"extraData":1}', 404, "not_a_reaction", str(POST)),
    ("DELETE", f"/v1/reactions/{POST}", "", 404, "not_a_reaction", str(POST)),
    ("DELETE", "/v1/reactions/77777", "", 404, "no_such_activity", "77777"),
    ("POST", "/v1/activities", "{}", 405, "method_not_allowed", ""),
    ("PUT", f"/v1/activities/{POST}", "{}", 405, "method_not_allowed", ""),
    # collections
    ("POST", "/v1/collections", "{}", 400, "missing_member", "deletingType"),
    ("POST", "/v1/collections", '{"id":"a","deletingType":null}', 400, "bad_member", "deletingType"),
    ("POST", "/v1/collections", '{"id":"a","deletingType":"cascade"}', 400, "bad_member", "deletingType"),
    ("POST", "/v1/collections", '{"id":"a","deletingType":0}', 400, "bad_member", "deletingType"),
    *[("POST", "/v1/collections", json.dumps({"id": id_, "deletingType": "CASCADE"}), 400, "bad_member", "id")
      for id_ in ["", ".", "..", "deleted", LONG, 5]],
    ("POST", "/v1/collections", '{"id":"food","deletingType":"CASCADE"}', 409, "collection_exists", "food"),
    ("DELETE", "/v1/collections/food", "", 405, "method_not_allowed", ""),
    ("PUT", "/v1/collections/food", "{}", 405, "method_not_allowed", ""),
    *[("POST", "/v1/collections/food/objects", json.dumps({"id": id_}), 400, "bad_member", "id")
      for id_ in ["", ".", "..", "deleted", LONG, False]],
    ("POST", "/v1/collections/food/objects", '{"id":"1","data":1}', 409, "object_exists", "1"),
    ("POST", "/v1/collections/none/objects", '{"id":"1"}', 404, "no_such_collection", "none"),
    ("POST", "/v1/collections/food/objects", activity(name="x"), 400, "unknown_member", "name"),
    ("PUT", "/v1/collections/food/objects/none", '{"data":1}', 404, "no_such_object", "none"),
    ("PUT", "/v1/collections/none/objects/1", '{"data":1}', 404, "no_such_collection", "none"),
    ("PUT", "/v1/collections/food/objects/1", "{}", 400, "missing_member", "data"),
    ("PUT", "/v1/collections/food/objects/1", '{"id":"1","data":1}', 400, "unknown_member", "id"),
    ("PUT", f"/v1/collections/food/objects/{LONG}", '{"data":1}', 400, "bad_path", "objectId"),
    ("PUT", "/v1/collections/food/objects/%ff", '{"data":1}', 400, "bad_path", ""),
    ("DELETE", "/v1/collections/food/objects/none", "", 404, "no_such_object", "none"),
    # grouping feeds
    ("POST", "/v1/groupingFeeds", "{}", 400, "missing_member", "keyFormat"),
    ("POST", "/v1/groupingFeeds", '{"keyFormat":null}', 400, "missing_member", "keyFormat"),
    ("POST", "/v1/groupingFeeds", '{"keyFormat":5}', 400, "bad_member", "keyFormat"),
    ("POST", "/v1/groupingFeeds", json.dumps({"keyFormat": "a\n{{nope}}"}), 400, "bad_key_format", "line 2"),
    ("POST", "/v1/groupingFeeds", json.dumps({"keyFormat": "x" * 4097}), 400, "bad_key_format", ""),
    ("POST", "/v1/groupingFeeds", '{"keyFormat":"","userId":-1}', 400, "bad_member", "userId"),
    ("PATCH", f"/v1/groupingFeeds/{GROUP}", '{"keyFormat":"x"}', 400, "bad_member", "keyFormat"),
    ("PATCH", f"/v1/groupingFeeds/{GROUP}", "{}", 400, "missing_member", "extraData"),
    ("PATCH", f"/v1/groupingFeeds/{FEED}", '{"extraData":1}', 404, "no_such_grouping_feed", str(FEED)),
    ("DELETE", f"/v1/groupingFeeds/{FEED}", "", 404, "no_such_grouping_feed", str(FEED)),
    ("POST", f"/v1/feeds/{GROUP}/publishArticle", "x", 404, "no_such_feed", str(GROUP)),
    ("PATCH", f"/v1/feeds/{GROUP}", '{"extraData":1}', 404, "no_such_feed", str(GROUP)),
    ("DELETE", f"/v1/feeds/{GROUP}", "", 404, "no_such_feed", str(GROUP)),
    ("POST", f"/v1/users/10000/subscribe?feedId={GROUP}", "", 404, "no_such_feed", str(GROUP)),
    ("POST", f"/v1/feeds/{GROUP}/activities", '{"userId":""}', 422, "key_format_failed", str(GROUP)),
    ("POST", ADD, activity(userId="", redirectTo=[GROUP]), 422, "key_format_failed", str(GROUP)),
]

# Requests that must succeed, and the members of the reply that they must bring.
GOOD = [
    ("POST", ADD, '{"time":0,"userId":10255,"redirectTo":["10002", 10002, 10000 ]}', 201, {"userId": "10255"}),
    ("POST", ADD, activity(redirectTo=[WALL] * 150), 201, {"userId": ""}),
    ("POST", ADD, activity(time=None, userId=None, objectId=None, redirectTo=None, extraData=None), 201,
     {"userId": "", "objectId": "", "extraData": None}),
    ("POST", ADD, '{"time":"2024-05-01T10:00:00.123+02:00"}', 201,
     {"createdAt": "2024-05-01T08:00:00.123000000Z", "updatedAt": "2024-05-01T08:00:00.123000000Z"}),
    ("POST", ADD, '{"time":1430000000000000000}', 201, {"createdAt": "2015-04-25T22:13:20.000000000Z"}),
    ("POST", ADD, '{"time":-1}', 201, {"createdAt": "1969-12-31T23:59:59.999999999Z"}),
    ("POST", ADD, '{"time":"1970-01-01T00:00:00Z"}', 201, {"createdAt": "1970-01-01T00:00:00.000000000Z"}),
    ("POST", ADD, activity(userId="a\0b", objectId="x" * 512, activityType="é" * 256), 201, {"userId": "a\0b"}),
    ("POST", "/v1/collections", '{"deletingType":"SET_NIL"}', 201, {"deletingType": "SET_NIL"}),
    ("POST", "/v1/collections", json.dumps({"id": "a/b:%é\0", "deletingType": "CASCADE"}), 201, {"id": "a/b:%é\0"}),
    ("POST", "/v1/collections/a%2Fb%3A%25%C3%A9%00/objects", json.dumps({"id": "..." + "x" * 509}), 201,
     {"data": None}),
    ("POST", "/v1/groupingFeeds", '{"keyFormat":""}', 201, {"keyFormat": "", "userId": "", "extraData": None}),
    ("PATCH", f"/v1/activities/{REPLY}", '{"extraData":null}', 200, {"extraData": None}),
    ("PUT", f"/v1/feeds/{WALL}/activities/{REPLY}/", "", 200, {"id": str(REPLY)}),
]

EXACT = '{"n":1.0,"e":1e5,"n":12345678901234567890123,"s":"\\u0041\\/\\"","z":[ ]}'


class Client:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=DEADLINE_S)

    def ask(self, method, target, body, kind=None):
        data = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": kind} if kind else {}
        self.connection.request(method, target, data or None, headers)
        reply = self.connection.getresponse()
        return reply, reply.read().decode()


def prepare(client):
    for method, target, body in [
        ("POST", "/v1/feeds", ""),
        ("POST", "/v1/groupingFeeds", '{"keyFormat":"{{slice .UserId 0 1}}"}'),
        ("POST", "/v1/feeds", ""),
        ("POST", "/v1/users", ""),
        ("POST", ADD, '{"userId":"a"}'),
        ("POST", f"/v1/activities/{POST}/reactions", '{"userId":"b"}'),
        ("POST", "/v1/collections", '{"id":"food","deletingType":"CASCADE"}'),
        ("POST", "/v1/collections/food/objects", '{"id":"1"}'),
    ]:
        reply, text = client.ask(method, target, body)
        assert reply.status == 201, (method, target, text)


def check_case(client, method, target, body, status, code, names):
    reply, text = client.ask(method, target, body)
    problem = json.loads(text)
    expected = (status, code, True, "application/problem+json")
    got = (reply.status, problem.get("code"), names in problem.get("detail", ""), reply.headers["Content-Type"])
    return None if got == expected else f"{got}: {text}"


def check_good(client, method, target, body, status, members):
    reply, text = client.ask(method, target, body)
    value = json.loads(text)
    wrong = {name: value.get(name) for name in members if value.get(name) != members[name]}
    if reply.status != status or wrong or not reply.headers["Feeds-Position"]:
        return f"{reply.status} {wrong}: {text}"
    if status != 201:
        return None
    # What was made is found where the reply says.
    found, again = client.ask("GET", reply.headers["Location"], "")
    return None if found.status == 200 and again == text else f"{reply.headers['Location']}: {again}"


def check_as_sent(client):
    _, text = client.ask("POST", ADD, '{"userId":"a", "extraData" : ' + EXACT + "}")
    if not text.endswith('"extraData":' + EXACT.replace(" ", "") + "}"):
        return text
    _, text = client.ask("PUT", "/v1/collections/food/objects/1", '{"data":' + EXACT + "}")
    return None if text == '{"id":"1","data":' + EXACT.replace(" ", "") + "}" else text


def check_media(client):
    reply, text = client.ask("POST", ADD, "{}", "text/plain")
    return None if reply.status == 415 and "application/json" in text else text


def check_concurrent_deletes(address):
    """Of twenty that delete one reaction, one succeeds."""
    client = Client(address)
    _, text = client.ask("POST", f"/v1/activities/{POST}/reactions", "{}")
    target = "/v1/reactions/" + json.loads(text)["id"]
    statuses = []
    threads = [
        threading.Thread(target=lambda: statuses.append(Client(address).ask("DELETE", target, "")[0].status))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return None if sorted(statuses) == [204] + [404] * 19 else str(statuses)


def run(address):
    client = Client(address)
    prepare(client)
    before, _ = client.ask("GET", "/v1/counters", "")
    failures = [(case[:2], check_case(client, *case)) for case in CASES]
    after, _ = client.ask("GET", "/v1/counters", "")
    if before.headers["Feeds-Position"] != after.headers["Feeds-Position"]:
        failures.append(("refused requests", "wrote something"))
    failures += [(case[:2], check_good(client, *case)) for case in GOOD]
    failures.append(("extraData", check_as_sent(client)))
    failures.append(("media type", check_media(client)))
    failures.append(("concurrent deletes", check_concurrent_deletes(address)))
    _, text = client.ask("GET", "/v1/digest?check=1", "")
    print(text[:300])
    wrong = [(what, why) for what, why in failures if why]
    for what, why in wrong:
        print(what, why)
    print(f"{len(failures)} checks, {len(wrong)} failures")
    return 1 if wrong else 0


def main(bin_dir):
    with tempfile.TemporaryDirectory() as folder:
        node = Node(bin_dir / "feeds-primary", "primary", pathlib.Path(folder), "--replication", "127.0.0.1:0")
        try:
            wait_for("the primary to be ready", node.is_ready)
            return run(node.http)
        finally:
            node.process.terminate()
            node.process.wait()


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
