"""What activities, reactions, collections and grouping feeds do, asked over HTTP: paging, references, groups, deletions.

Each check is a function with a node of its own data; it says what is wrong by an assertion.
"""

import json
import pathlib
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from requests_test import Client, Node, wait_for  # noqa: E402

SECRET = "not-for-the-log"


def quoted(text):
    return urllib.parse.quote(text, safe="")


class Api:
    """Requests whose status is asserted, and what they brought."""

    def __init__(self, address):
        self.address = address
        self.client = Client(address)

    def ask(self, method, target, body=None, status=200):
        reply, text = self.client.ask(method, target, "" if body is None else json.dumps(body))
        assert reply.status == status, f"{method} {target} was answered {reply.status}, not {status}: {text[:400]}"
        return json.loads(text) if text else None

    def get(self, target, status=200):
        return self.ask("GET", target, None, status)

    def post(self, target, body=None, status=201):
        return self.ask("POST", target, body, status)

    def delete(self, target, status=204):
        return self.ask("DELETE", target, None, status)

    def feed(self):
        return self.post("/v1/feeds")["id"]

    def grouping(self, key_format):
        return self.post("/v1/groupingFeeds", {"keyFormat": key_format})["id"]

    def add(self, feed, **members):
        return self.post(f"/v1/feeds/{feed}/activities", members)["id"]

    def react(self, parent, **members):
        return self.post(f"/v1/activities/{parent}/reactions", members)["id"]

    def pages(self, target, name, cursor="offsetId"):
        """Follows `next` to the end; the pages' lists."""
        mark, following, pages = "&" if "?" in target else "?", "", []
        while True:
            page = self.get(target + following)
            pages.append(page[name])
            if page["next"] is None:
                return pages
            following = f"{mark}{cursor}={quoted(page['next'])}"
            assert len(pages) < 1000, f"{target} has no end"

    def ids(self, target, name, cursor="offsetId"):
        return [item["id"] for page in self.pages(target, name, cursor) for item in page]

    def in_feed(self, feed, limit=3):
        return self.ids(f"/v1/feeds/{feed}/activities?limit={limit}", "activities")

    def groups(self, feed):
        pages = self.pages(f"/v1/groupingFeeds/{feed}/activities?limit=2", "activityGroups")
        groups = [group for page in pages for group in page]
        for group in groups:
            assert group["activityCount"] == len(group["activities"]), group
        return {group["groupKey"]: [activity["id"] for activity in group["activities"]] for group in groups}


def newest_first(ids):
    return sorted(ids, key=int, reverse=True)


# --- paging


def check_changes_between_pages(api):
    feed = api.feed()
    ids = newest_first([api.add(feed) for _ in range(20)])
    page = api.get(f"/v1/feeds/{feed}/activities?limit=10")
    seen = [activity["id"] for activity in page["activities"]]
    for _ in range(3):
        api.add(feed)
    for gone in (ids[4], ids[9], ids[12]):  # among them the one that the cursor names
        api.delete(f"/v1/activities/{gone}")
    seen += api.ids(f"/v1/feeds/{feed}/activities?limit=10&offsetId={page['next']}", "activities")
    assert seen == [id_ for id_ in ids if id_ != ids[12]], seen


def check_equal_and_past_times(api):
    feed = api.feed()
    ids = [api.add(feed, time=1_700_000_000_000_000_000) for _ in range(5)]
    ids.append(api.add(feed, time="2015-03-01T00:00:00Z"))
    ids.append(api.add(feed))
    for _ in range(3):
        assert api.in_feed(feed, 2) == newest_first(ids)
    # A later entry does not change its place either.
    other = api.feed()
    newer = api.add(other)
    api.ask("PUT", f"/v1/feeds/{other}/activities/{ids[0]}")
    assert api.in_feed(other) == [newer, ids[0]]


def check_times_are_one_instant(api):
    feed = api.feed()
    for time in ["2024-05-01T10:00:00.123Z", "2024-05-01T10:00:00.123000+00:00", "2024-05-01T15:30:00.123+05:30"]:
        activity = api.get(f"/v1/activities/{api.add(feed, time=time)}")
        assert activity["createdAt"] == activity["updatedAt"] == "2024-05-01T10:00:00.123000000Z", activity


def check_pages_are_full_after_deletions(api):
    feed = api.feed()
    ids = newest_first([api.add(feed) for _ in range(30)])
    for id_ in ids[:20]:
        api.delete(f"/v1/activities/{id_}")
    page = api.get(f"/v1/feeds/{feed}/activities?limit=10")
    assert [activity["id"] for activity in page["activities"]] == ids[20:] and page["next"] is None, page


def lists(api):
    """A list of five of each kind: (target, name of the list, name of the cursor, name of an item's id)."""
    feed, group = api.feed(), api.grouping("{{.UserId}}")
    for user in "abcde":
        api.add(feed, objectId="o", userId=user, redirectTo=[group])
    flat = api.grouping("")
    top = api.add(feed, redirectTo=[flat])
    for _ in range(4):
        api.add(flat)
    for _ in range(5):
        api.react(top)
    api.delete(f"/v1/feeds/{feed}/activities/{top}")
    for number in range(5):
        api.post("/v1/collections", {"id": f"c{number}", "deletingType": "SET_NIL"})
        api.post("/v1/collections/c0/objects", {"id": f"o{number}"})
    return [
        (f"/v1/feeds/{feed}/activities", "activities", "offsetId", "id"),
        ("/v1/activities?objectId=o", "activities", "offsetId", "id"),
        (f"/v1/activities/{top}/reactions", "reactions", "offsetId", "id"),
        (f"/v1/activities/{top}/reactions?depth=2", "reactions", "offsetId", "id"),
        (f"/v1/activities/{top}/thread", "reactions", "offsetId", "id"),
        (f"/v1/groupingFeeds/{group}/activities", "activityGroups", "offsetId", "groupKey"),
        (f"/v1/groupingFeeds/{flat}/groups/activities?groupKey=", "activities", "offsetId", "id"),
        ("/v1/collections", "collections", "after", "id"),
        ("/v1/collections/c0/objects", "objects", "after", "id"),
    ]


def check_every_list(api):
    for target, name, cursor, id_name in lists(api):
        mark = "&" if "?" in target else "?"
        whole = [item[id_name] for item in api.get(target)[name]]
        assert len(whole) == len(set(whole)) == 5, f"{target}: {whole}"
        for limit in range(1, 7):
            pages = api.pages(f"{target}{mark}limit={limit}", name, cursor)
            assert [len(page) for page in pages] == [limit] * (5 // limit) + ([5 % limit] if 5 % limit else [])
            assert [item[id_name] for page in pages for item in page] == whole, f"{target}: {pages}"
        for bad in ["0", "-5", "abc", "1e3", "", "+1", "01", "1.0", "1001", "99999999999999999999"]:
            problem = api.get(f"{target}{mark}limit={bad}", 400)
            assert problem["code"] == "bad_parameter" and "limit" in problem["detail"], problem
        if cursor == "offsetId":
            for bad in ["abc", "-1", "", "1e3", "99999999999999999999", "010000"]:
                problem = api.get(f"{target}{mark}offsetId={bad}", 400)
                assert problem["code"] == "bad_offset" and "offsetId" in problem["detail"], problem


def check_groups_have_cursors_of_their_own(api):
    group = api.grouping("{{.UserId}}")
    first, second = api.add(group, userId="a"), api.add(group, userId="b")
    for id_ in (first, second):
        assert api.get(f"/v1/groupingFeeds/{group}/activities?offsetId={id_}", 400)["code"] == "bad_offset"
    next_ = api.get(f"/v1/groupingFeeds/{group}/activities?limit=1")["next"]
    other = api.grouping("{{.UserId}}")
    for target in [f"/v1/groupingFeeds/{other}/activities?", f"/v1/groupingFeeds/{group}/groups/activities?groupKey=a&"]:
        assert api.get(f"{target}offsetId={next_}", 400)["code"] == "bad_offset"
    problem = api.get(f"/v1/groupingFeeds/{group}/activities?activityLimit=0", 400)
    assert "activityLimit" in problem["detail"], problem


# --- text


def check_any_text_is_an_id(api):
    feed, group = api.feed(), api.grouping("{{.UserId}}")
    texts = ["a\0b", "\0", "a/b", "a%2Fb", "o'neil <b>&co", "like+1", "a:b::c", "é☃😀", " ", "..a", "reactions", "x" * 512]
    for text in texts:
        path = quoted(text)
        api.post("/v1/collections", {"id": text, "deletingType": "CASCADE"})
        api.post(f"/v1/collections/{path}/objects", {"id": text, "data": text})
        assert api.get(f"/v1/collections/{path}/objects/{path}") == {"id": text, "data": text}
        id_ = api.add(feed, objectId=text, collectionId=text, userId=text, activityType=text, redirectTo=[group])
        activity = api.get(f"/v1/activities/byObject/{path}?collectionId={path}")
        assert activity["id"] == id_ and activity["activityType"] == text, activity
        inside = api.get(f"/v1/groupingFeeds/{group}/groups/activities?groupKey={path}")
        assert [one["id"] for one in inside["activities"]] == [id_], inside
    assert set(api.groups(group)) == set(texts)
    for text in texts:
        api.delete(f"/v1/collections/{quoted(text)}/objects/{quoted(text)}")
        remaining = len(texts) - texts.index(text) - 1
        assert len(api.in_feed(feed)) == len(api.groups(group)) == remaining, text


def check_large_bodies(api):
    feed = api.feed()
    id_ = api.add(feed)
    big = "x" * (1024 * 1024)
    for method, target, body in [
        ("POST", f"/v1/feeds/{feed}/activities", {"extraData": big}),
        ("PATCH", f"/v1/activities/{id_}", {"extraData": big}),
        ("POST", f"/v1/activities/{id_}/reactions", {"extraData": big}),
        ("POST", "/v1/collections", {"id": big, "deletingType": "CASCADE"}),
        ("POST", "/v1/groupingFeeds", {"keyFormat": "", "extraData": big}),
    ]:
        problem = Api(api.address).ask(method, target, body, 413)  # it closes
        assert problem["code"] == "body_too_large", problem
    fits = api.add(feed, extraData="x" * (1024 * 1024 - 100))
    assert api.in_feed(feed) == [fits, id_]


# --- references


def check_a_deleted_comment_leaves_its_replies(api):
    post = api.add(api.feed())
    comment = api.react(post)
    reply = api.react(comment)
    api.delete(f"/v1/activities/{comment}")
    assert api.get(f"/v1/activities/{comment}/reactions", 404)["code"] == "no_such_activity"
    assert api.get(f"/v1/activities/{post}/reactions") == {"reactions": [], "next": None}
    left = api.get(f"/v1/reactions/{reply}")
    assert (left["objectId"], left["linkedActivityId"]) == (post, "deleted"), left
    # The thread goes on below it.
    late = api.react(reply)
    seen = api.get(f"/v1/reactions/{late}")
    assert (seen["objectId"], seen["linkedActivityId"]) == (post, reply), seen
    assert api.ids(f"/v1/activities/{post}/thread", "reactions") == [late, reply]
    api.delete(f"/v1/activities/{post}")
    api.get(f"/v1/activities/{late}/thread", 404)
    orphan = api.get(f"/v1/reactions/{api.react(late)}")
    assert (orphan["objectId"], orphan["linkedActivityId"]) == ("deleted", late), orphan
    for id_ in (reply, late, orphan["id"]):
        api.delete(f"/v1/reactions/{id_}")


def check_reactions_are_not_what_is_about_an_object(api):
    feed = api.feed()
    post = api.add(feed, objectId="post")
    share = api.add(feed, objectId=post)
    api.react(post)
    api.react(post)
    assert api.get("/v1/activities/byObject/post")["id"] == post
    assert api.get(f"/v1/activities/byObject/{post}")["id"] == share
    api.delete(f"/v1/activities/{post}")
    assert api.get(f"/v1/activities/{share}")["objectId"] == post
    assert api.get(f"/v1/activities/byObject/{post}")["id"] == share


def check_deleted_objects(api):
    for type_ in ("CASCADE", "SET_NIL"):
        food, book = f"food-{type_}", f"book-{type_}"
        feed, group = api.feed(), api.grouping("{{.CollectionId}}")
        for collection in (food, book):
            api.post("/v1/collections", {"id": collection, "deletingType": type_})
            api.post(f"/v1/collections/{collection}/objects", {"id": type_})
        named = api.add(feed, objectId=type_, collectionId=food, redirectTo=[group])
        bare = api.add(feed, objectId=type_, redirectTo=[group])
        other = api.add(feed, objectId=type_, collectionId=book, redirectTo=[group])
        comment = api.react(named)
        api.delete(f"/v1/collections/{food}/objects/{type_}")
        api.delete(f"/v1/collections/{food}/objects/{type_}", 404)
        page = api.get(f"/v1/feeds/{feed}/activities")["activities"]
        if type_ == "CASCADE":
            assert [one["id"] for one in page] == [other], page
            assert api.groups(group) == {book: [other]}
            assert api.get(f"/v1/reactions/{comment}")["objectId"] == "deleted"
        else:
            references = {one["id"]: (one["objectId"], one["collectionId"]) for one in page}
            assert references == {named: ("", ""), bare: ("", ""), other: (type_, book)}, references
            assert api.groups(group) == {book: [other], "": [bare], food: [named]}
            assert api.get(f"/v1/reactions/{comment}")["objectId"] == named
        assert api.get(f"/v1/activities/byObject/{type_}?collectionId={book}")["id"] == other
        api.get(f"/v1/activities/byObject/{type_}", 404)
        # The id may be used again, and means another object.
        api.post(f"/v1/collections/{food}/objects", {"id": type_})
        assert api.get(f"/v1/activities?objectId={type_}&collectionId={food}")["activities"] == []


def check_a_second_creation_changes_nothing(api):
    api.post("/v1/collections", {"id": "once", "deletingType": "SET_NIL"})
    api.post("/v1/collections", {"id": "once", "deletingType": "CASCADE"}, 409)
    api.post("/v1/collections/once/objects", {"id": "1", "data": 1})
    api.post("/v1/collections/once/objects", {"id": "1", "data": 2}, 409)
    assert api.get("/v1/collections/once")["deletingType"] == "SET_NIL"
    assert api.get("/v1/collections/once/objects/1")["data"] == 1


def check_nothing_is_deleted_without_an_id(api):
    feed = api.feed()
    id_ = api.add(feed, objectId="kept")
    for target in [f"/v1/feeds/{feed}/activities", "/v1/activities?objectId=kept", "/v1/activities/byObject/kept"]:
        api.delete(target, 405)
    assert api.in_feed(feed) == [id_]


def check_deleted_feeds_free_their_activities(api):
    feed, group, kept = api.feed(), api.grouping("g"), api.feed()
    id_ = api.add(kept, redirectTo=[feed, group])
    comment = api.react(id_)
    api.ask("PUT", f"/v1/feeds/{group}/activities/{comment}")
    api.delete(f"/v1/groupingFeeds/{group}")
    api.delete(f"/v1/groupingFeeds/{group}", 404)
    api.delete(f"/v1/feeds/{feed}")
    api.ask("PATCH", f"/v1/activities/{id_}", {"extraData": 1})
    assert api.in_feed(kept) == [id_]
    api.delete(f"/v1/reactions/{comment}")
    api.delete(f"/v1/activities/{id_}")
    assert api.in_feed(kept) == []


# --- grouping


def check_keys(api):
    joined = api.grouping("{{.UserId}}:{{.ActivityType}}")
    other = api.grouping("{{.UserId}}:{{.ActivityType}}")
    first = api.add(joined, userId="a:b", activityType="c", redirectTo=[other])
    second = api.add(joined, userId="a", activityType="b:c")
    empty = api.add(joined, userId=None)
    plain = api.add(joined, userId="o'neil <b>&co", activityType="like+1")
    assert api.groups(joined) == {
        "a:b:c": [second, first], ":": [empty], "o'neil <b>&co:like+1": [plain]}, "one key by the format is one group"
    assert api.groups(other) == {"a:b:c": [first]}
    members = api.grouping('{{range $k, $v := .ExtraData}}{{$k}}{{$v}}{{end}}{{default "none" .ExtraData.x}}')
    ids = [api.post(f"/v1/feeds/{members}/activities", {"extraData": extra})["id"]
           for extra in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {})]
    assert api.groups(members) == {"none": [ids[2]], "a1b2none": [ids[1], ids[0]]}
    markup = api.grouping("<a href={{.UserId}}<!-- -->")
    id_ = api.add(markup, userId='"x"')
    assert api.groups(markup) == {'<a href="x"<!-- -->': [id_]}


def check_formats_that_fail(api):
    feed = api.feed()
    for key_format in ["{{.UserId", "{{nope}}", "{{call .UserId}}", "{{end}}", "{{if}}", "x" * 4097]:
        problem = api.post("/v1/groupingFeeds", {"keyFormat": key_format}, 400)
        assert problem["code"] == "bad_key_format", problem
    hostile = ['{{define "r"}}{{template "r" .}}{{template "r" .}}{{end}}{{template "r" .}}',
               "{{range .ExtraData}}{{range $.ExtraData}}{{range $.ExtraData}}{{end}}{{end}}{{end}}",
               '{{printf "%1000000d" .Id}}', "{{.Nope}}", "{{.GetUserId}}", "{{slice .ObjectId 0 3}}",
               "{{slice .UserId 0 1}}", '{{printf "%1025d" 1}}']
    for key_format in hostile:
        group = api.grouping(key_format)
        body = {"userId": "é", "extraData": list(range(2000)), "redirectTo": [group]}
        problem = api.post(f"/v1/feeds/{feed}/activities", body, 422)
        assert problem["code"] == "key_format_failed" and str(group) in problem["detail"], problem
        assert api.groups(group) == {}
    assert api.in_feed(feed) == []
    api.add(feed)


def check_updates_move_and_deletions_leave_groups(api):
    group = api.grouping("{{.ExtraData}}")
    a, b, c = (api.add(group, extraData=kind) for kind in "xyx")
    assert list(api.groups(group).items()) == [("x", [c, a]), ("y", [b])]
    api.ask("PATCH", f"/v1/activities/{c}", {"extraData": "y"})
    assert list(api.groups(group).items()) == [("y", [c, b]), ("x", [a])]
    api.delete(f"/v1/activities/{a}")
    api.delete(f"/v1/feeds/{group}/activities/{c}")
    assert list(api.groups(group).items()) == [("y", [b])]
    api.ask("PATCH", f"/v1/activities/{b}", {"extraData": ""})
    assert list(api.groups(group).items()) == [("", [b])]


CHECKS = [
    check_changes_between_pages, check_equal_and_past_times, check_times_are_one_instant,
    check_pages_are_full_after_deletions, check_every_list, check_groups_have_cursors_of_their_own,
    check_any_text_is_an_id, check_large_bodies, check_a_deleted_comment_leaves_its_replies,
    check_reactions_are_not_what_is_about_an_object, check_deleted_objects, check_a_second_creation_changes_nothing,
    check_nothing_is_deleted_without_an_id, check_deleted_feeds_free_their_activities, check_keys,
    check_formats_that_fail, check_updates_move_and_deletions_leave_groups,
]


def everything(api, feeds, groups):
    targets = ["/v1/collections?limit=1000", "/v1/counters"]
    targets += [f"/v1/feeds/{feed}/activities?limit=1000" for feed in feeds]
    targets += [f"/v1/groupingFeeds/{group}/activities?limit=1000" for group in groups]
    return {target: api.get(target) for target in targets}


def check_restarts(start, config):
    """A node that is used, stopped, and started again on its data, twice. Returns the ids it gave out."""
    api = start(config)
    feed, group = api.feed(), api.grouping("{{.ObjectId}}{{.ExtraData.k}}")
    ids = [api.add(feed, redirectTo=[group], extraData={"k": n % 3, "s": SECRET}, userId=SECRET) for n in range(30)]
    assert api.in_feed(feed, 7) == newest_first(ids), "ids order as numbers at every width"
    comments = [api.react(ids[0], extraData=SECRET) for _ in range(5)]
    assert api.ids(f"/v1/activities/{ids[0]}/reactions?limit=2", "reactions") == newest_first(comments)
    api.post("/v1/collections", {"id": SECRET, "deletingType": "CASCADE"})
    before = everything(api, [feed], [group])

    api = start(config)
    assert everything(api, [feed], [group]) == before
    # The same members in another order are the same group as before.
    body = {"extraData": {"s": "", "k": 2}, "redirectTo": [group]}
    late = api.post(f"/v1/feeds/{feed}/activities", body)["id"]
    assert api.groups(group)["2"][0] == late
    for id_ in ids + comments + [late]:
        api.delete(f"/v1/activities/{id_}")

    api = start(config)
    assert api.in_feed(feed) == [] and api.groups(group) == {}
    assert int(api.add(feed)) == int(late) + 1, "an id was given out again"
    return ids


def check_a_restart_changes_nothing(start):
    check_restarts(start, "")


def check_ids_at_five_digits(start):
    ids = check_restarts(start, "db:\n  counters:\n    /activities: 99990\n")
    assert (ids[0], ids[-1]) == ("99990", "100019"), ids


class Starter:
    """Starts the node of one folder, stopping the one before."""

    def __init__(self, bin_dir, folder):
        self.program, self.folder, self.node = bin_dir / "feeds-primary", folder, None

    def __call__(self, config=""):
        self.stop()
        (self.folder / "config.yml").write_text(config)
        flags = ["--replication", "127.0.0.1:0", "--config", self.folder / "config.yml"]
        self.node = Node(self.program, "primary", self.folder, *flags)
        wait_for("the primary to be ready", self.node.is_ready)
        return Api(self.node.http)

    def stop(self):
        if self.node is None:
            return
        self.node.process.terminate()
        assert self.node.process.wait() == 0
        assert SECRET not in self.node.log.read_text(), "the log tells bodies"


def run(check, start):
    check(start() if check in CHECKS else start)
    digest = Api(start.node.http).get("/v1/digest?check=1")
    assert digest["violations"] == [], digest["violations"]


def main(bin_dir):
    failures = 0
    checks = CHECKS + [check_a_restart_changes_nothing, check_ids_at_five_digits]
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            start = Starter(bin_dir, pathlib.Path(folder))
            try:
                run(check, start)
            except AssertionError as error:
                print(f"{check.__name__}: {error}")
                failures += 1
            finally:
                start.stop()
    print(f"{len(checks)} checks, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
