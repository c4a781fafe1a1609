"""Cases from what TDLib itself did: its recorded stories, payloads and receivers."""

import json

from casebook import TDLIB, add_case, equal, expect, lines

FILES = {"photo", "video", "animation", "audio", "document", "sticker", "video_note", "voice_note"}
# From here on TDLib has lost a notification, which another server may keep.
COMPARED_STEPS = {"restart persistence": 18}
PENDING = "updateHavePendingNotifications"


def plain(value):
    """Without what was not recorded: files within contents, threads, and members that are a server's own."""
    if isinstance(value, list):
        return [plain(element) for element in value]
    if not isinstance(value, dict):
        return value
    content = str(value.get("@type", "")).startswith("pushMessageContent")
    return {
        name: plain(member)
        for name, member in value.items()
        if name != "message_thread_id" and not name.startswith("bellwire.") and not (content and name in FILES)
    }


def compared(updates, left_out):
    kept = [plain(update) for update in updates if update["@type"] not in left_out]
    # Whether something is unreceived was true all the time, because the recorded account never finished.
    for update in kept:
        update.pop("have_unreceived_notifications", None)
    return kept


def result(step):
    action, found = step["do"], step.get("result")
    asked = "push" in action or "push_raw" in action
    asked = asked or action.get("request", {}).get("@type") in ("destroy", "processPushNotification")
    if found is None:
        return "ok" if asked else None
    return "ok" if isinstance(found, dict) and "code" not in found else found


def play(server, story, left_out):
    # Nothing that the server could copy its answer from.
    asked = {**story, "steps": [{"do": step["do"]} for step in story["steps"]]}
    answers = server.play(asked)
    equal(len(answers), len(story["steps"]), f"steps of {story['name']!r}")
    end = COMPARED_STEPS.get(story["name"], len(answers))
    for number, (step, answer) in enumerate(zip(story["steps"], answers)):
        if number < end:
            equal(answer["result"], result(step), f"{story['name']!r}, answer {number}")
            found = compared(answer["updates"], left_out)
            equal(found, recorded(step, left_out), f"{story['name']!r}, updates {number}")


def recorded(step, left_out):
    """The same of the recording, worked out once."""
    if "compared" not in step:
        step["compared"] = compared(step["updates"], left_out)
    return step["compared"]


def add_story(paragraph, name):
    story = SCENARIOS[name]
    # TDLib tells what is delayed around each push only where the recording waited for it.
    add_case(paragraph, name, name, TDLIB, lambda server: play(server, story, {"updateChatReadInbox"}))


def add_probe(paragraph, name):
    add_case(paragraph, name, name, TDLIB, lambda server: play(server, RANDOM[name], {"updateChatReadInbox", PENDING}))


def add_random(paragraph, kind):
    stories = [story for name, story in RANDOM.items() if name.startswith(f"more {kind} ")]

    def all_of_them(server):
        expect(stories, "there are such stories")
        for story in stories:
            play(server, story, {"updateChatReadInbox", PENDING})

    add_case(paragraph, f"random {kind}", f"{len(stories)} random stories about {kind}", TDLIB, all_of_them)


def add_receiver(paragraph, row):
    def found(server):
        expected = {name: row[name] for name in ("id", "error") if name in row}
        equal(server.receiver(row["payload"]), expected, "receiver")

    add_case(paragraph, row["name"], row["name"], TDLIB, found)


def add_payload(paragraph, row):
    """What TDLib made of a payload, in an account that knows these chats."""
    name = f"{row['loc_key']} in {row['chat']}"

    def made(server):
        story = {
            "name": name,
            "options": {"notification_group_count_max": 25, "notification_group_size_max": 25},
            "setup": {
                "my_id": 777,
                "private_chats": [555],
                "basic_groups": [77],
                "supergroups": [88],
                "channels": [99],
                "message_database": True,
            },
            # A story that shows nothing could also come from a server that does nothing: so one that is known to work
            # goes before it.
            "steps": [{"do": {"push": CONTROL}}, {"do": {"push": row["payload"]}}],
        }
        control, answer = server.play(story)
        equal(control["result"], "ok", "a push of a text")
        expect(added(control), "a push of a text is shown")
        equal(answer["result"], row["result"], "answer")
        if "content" not in row:
            equal(added(answer), [], "what is shown")
            return
        update, notification = added(answer)[-1]
        seen = notification["type"]
        content = dict(row["content"])
        if "is_live" in content:
            # TDLib confuses these two. The right answer is the other one.
            content["is_live"] = not content["is_live"]
        equal(plain(seen["content"]), plain(content), "content")
        equal(seen["sender_id"], row["sender"], "sender")
        equal(seen["sender_name"], row["sender_name"], "name of the sender")
        equal(update["type"]["@type"], row["group_type"], "type of the group")
        equal(update["notification_settings_chat_id"], row["settings_chat_id"], "chat of the settings")
        equal(update["notification_sound_id"], row["sound_id"], "sound")

    add_case(paragraph, f"tdlib {name}", f"what TDLib makes of {name}", TDLIB, made)


def added(step):
    groups = [update for update in step["updates"] if update["@type"] == "updateNotificationGroup"]
    return [(update, one) for update in groups for one in update["added_notifications"]]


CONTROL = {
    "data": {"loc_key": "MESSAGE_TEXT", "loc_args": ["Ann", "first"], "custom": {"from_id": "555", "msg_id": "1"}}
}
SCENARIOS = {story["name"]: story for story in lines("tdlib-engine-scenarios.jsonl")}
RANDOM = {story["name"]: story for story in lines("tdlib-random-stories.jsonl")}
PAYLOADS = lines("tdlib-loc-keys.jsonl")
RECEIVERS = {row["name"]: row for row in lines("tdlib-push-receiver-id.jsonl")}


def payload(name):
    """A payload of the recorded ones, as an object."""
    return json.loads(RECEIVERS[name]["payload"])
