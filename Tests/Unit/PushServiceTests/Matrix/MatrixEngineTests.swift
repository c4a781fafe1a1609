import Foundation
import Mailbox
import Testing

/// From the homeserver's request to what a client of the engine shows.
@Suite("Matrix rooms, as a client sees them")
struct MatrixEngineTests {
    private let fixture: PushFixture
    private let app: RegisteredApp
    private let viewer: EngineViewer

    init() throws {
        fixture = try PushFixture()
        app = try RegisteredApp(fixture, app: "matrix", #","trust_clear":true"#)
        viewer = try EngineViewer(fixture, bearer: app.bearer, app: "matrix")
    }

    private func tell(_ event: String, _ type: String, _ members: [String: Any]) throws {
        let all: [String: Any] = [
            "type": type, "sender": "@ann:x", "sender_display_name": "Ann", "room_name": "Office",
        ]
        let answer = try fixture.notify(
            app.endpoint, event: event, all.merging(members) { $1 })
        #expect(answer.status == 200 && answer.text == #"{"rejected":[]}"#)
        try viewer.settle()
    }

    private func say(
        _ text: String, event: String, _ content: [String: Any] = [:]
    ) throws {
        let all: [String: Any] = ["msgtype": "m.text", "body": text]
        try tell(event, "m.room.message", ["content": all.merging(content) { $1 }])
    }

    @Test("A room with names, an edit, a reaction, an invitation and a redaction")
    func life() throws {
        try say("Shall we meet?", event: "$a")
        try say("At seven", event: "$b")
        try say(
            "* At eight", event: "$c",
            [
                "m.new_content": ["body": "At eight"],
                "m.relates_to": ["rel_type": "m.replace", "event_id": "$b"],
            ])
        #expect(viewer.texts == ["Shall we meet?", "At eight"] && viewer.appeared.count == 2)
        try tell("$d", "m.reaction", ["content": ["m.relates_to": ["key": "👍"]]])
        try tell(
            "$e", "m.room.member",
            ["membership": "invite", "user_is_target": true, "room_id": "!other:x"])
        #expect(viewer.texts.suffix(2) == ["Ann reacted with 👍", "Ann invited you"])
        // In the form of old rooms and of new ones, with a long reason.
        try tell("$f", "m.room.redaction", ["redacts": "$a", "content": [String: Any]()])
        let reason = String(repeating: "x", count: 9_000)
        try tell("$g", "m.room.redaction", ["content": ["redacts": "$b", "reason": reason]])
        #expect(viewer.texts == ["Ann reacted with 👍", "Ann invited you"])
    }

    @Test("Data attached to the pusher comes with the notification, and nothing is fetched")
    func data() throws {
        let device: [String: Any] = [
            "app_id": "a", "pushkey": app.endpoint, "pushkey_ts": 12_345_678,
            "data": ["default_payload": ["account": "me"]],
        ]
        try tell("$a", "m.room.message", ["content": ["body": "hi"], "devices": [device]])
        let again = try EngineViewer(fixture, bearer: app.bearer, app: "matrix")
        let told = again.presentation["data"] as? [String: Any] ?? [:]
        #expect(told["room_id"] as? String == "!room:x" && told["event_id"] as? String == "$a")
        #expect(told["sender"] as? String == "@ann:x" && told["pushkey_ts"] as? Int == 12_345_678)
        let data = told["data"] as? [String: [String: String]]
        #expect(data == ["default_payload": ["account": "me"]])
        #expect(try app.payloads().isEmpty)
        let rest = try again.ask(#"{"@type":"getOption","name":"version"}"#).before
        #expect(!rest.contains { $0["@type"] as? String == "bellwire.updateFetchRequired" })
    }

    @Test("Notifications of a room show who wrote")
    func sender() throws {
        try say("hi", event: "$a")
        let again = try EngineViewer(fixture, bearer: app.bearer, app: "matrix")
        #expect(again.presentation["title"] as? String == "Office")
        #expect(again.presentation["body"] as? String == "Ann: hi")
    }
}
