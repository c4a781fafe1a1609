"""A control socket that tells the state of a server that does not exist."""

import copy
import json
import os
import socketserver
import threading

from kit.webserver import Handler

EXAMPLE = {
    "version": "0.1.0",
    "address": "https://push.example",
    "usable": True,
    "administrator": True,
    "owner": "local",
    "counts": {"accepted": 1000, "repeated": 1, "refused": 2, "delivered": 900, "acknowledged": 800},
    "durations": {"bounds": [0.0005, 0.001, 0.25], "counts": [0, 60, 99, 100]},
    "waiting": {"messages": 3, "bytes": 2560},
    "user_agents": 2,
    "devices": [
        {"id": 1, "name": "desk", "owner": "me", "connected": True},
        {"id": 2, "name": "phone\x1b[2J日本\u202e", "owner": "me", "connected": False, "last_seen": 86400},
        {"id": 3, "name": "e" + "\u0301" * 200 + "日" * 60, "owner": "me", "connected": True},
    ],
    "registrations": [
        {"id": f"r{number}", "app": "telegram", "account": f"account {number}", "waiting": number}
        for number in range(40)
    ],
    "errors": [{"errno": 104, "status": 413, "count": 2, "message": "too large", "advice": "send less"}],
    "events": [{"time": 1000 * number, "kind": "accepted", "subject": "telegram/me"} for number in range(5)],
}


class Answers(Handler):
    def do_GET(self):
        answer = self.server.answer(self.path)
        self.answer(200 if answer else 404, json.dumps(answer or {"message": "not found"}).encode())


class Overview(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = folder + "/control.sock"
        if os.path.exists(self.path):
            os.remove(self.path)
        super().__init__(self.path, Answers)
        self.lock = threading.Lock()
        self.state = copy.deepcopy(EXAMPLE)
        self.asked = 0
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def get_request(self):
        # The handler wants an address to print.
        return self.socket.accept()[0], ("local", 0)

    def answer(self, path):
        if path != "/api/v1/overview":
            return None
        with self.lock:
            self.asked += 1
            # Ten more with each question.
            self.state["counts"]["accepted"] += 10
            return copy.deepcopy(self.state)

    def change(self, **members):
        with self.lock:
            self.state.update(members)

    def end(self):
        self.shutdown()
        self.server_close()
        os.remove(self.path)
