#!/usr/bin/env python3
"""Prints the notifications of an account and what the user did with them; each GROUP/ID on standard
input is dismissed.

usage: client.py STATE/control.sock ACCOUNT [APP]"""

import json
import socket
import sys
import threading


def text(notification):
    kind = notification["type"]
    content = kind.get("content", {})
    return f"{kind.get('sender_name', '')}: {content.get('text') or content.get('@type')}"


class Client:
    def __init__(self, path, account, app=None):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.say("bellwire.open", account=account, **({"app": app} if app else {}))

    def say(self, kind, **members):
        self.connection.sendall(json.dumps({"@type": kind, **members}).encode() + b"\n")

    def listen(self):
        for line in self.connection.makefile(encoding="utf-8"):
            self.take(json.loads(line))

    def take(self, update):
        kind = update["@type"]
        if kind == "updateActiveNotifications":  # This is everything; forget what you knew before.
            for group in update["groups"]:
                self.show(group["id"], group["notifications"])
        elif kind == "updateNotificationGroup":
            group = update["notification_group_id"]
            for gone in update["removed_notification_ids"]:
                print(f"gone {group}/{gone}", flush=True)
            self.show(group, update["added_notifications"])
        elif kind == "updateNotification":
            self.show(update["notification_group_id"], [update["notification"]])
        elif kind == "bellwire.updateNotificationAction":  # Comes again until it was taken.
            self.do(update)
            self.say("bellwire.actionTaken", id=update["id"])
        elif kind == "error":
            print(f"error {update['message']}", flush=True)

    def show(self, group, notifications):
        for notification in notifications:
            print(f"{group}/{notification['id']} {text(notification)}", flush=True)

    def do(self, action):
        """An application opens the chat here, or sends the answer."""
        data = json.dumps(action.get("data"), separators=(",", ":"))
        text = f": {action['text']}" if "text" in action else ""
        print(f"{action['action']} in chat {action['chat_id']} with {data}{text}", flush=True)

    def dismiss(self, names):
        for name in names:
            group, id = map(int, name.split("/"))
            self.say("removeNotification", notification_group_id=group, notification_id=id)


client = Client(*sys.argv[1:])
threading.Thread(target=client.dismiss, args=(sys.stdin,), daemon=True).start()
client.listen()
