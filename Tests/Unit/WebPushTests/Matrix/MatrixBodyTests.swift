import Foundation
import Testing

@testable import WebPush

@Suite("The parts of a Matrix notification that are passed on")
struct MatrixBodyTests {
    private typealias Object = [String: Any]

    private let names = ["sender_display_name", "room_name", "room_alias"]

    private func notification(
        content: Object = ["body": "hi"], devices: [Object] = [["app_id": "a", "pushkey": "k"]],
        _ more: Object = [:]
    ) -> Object {
        let all: Object = [
            "event_id": "$e", "room_id": "!r", "type": "m.room.message", "prio": "low",
            "sender": "@ann:x", "sender_display_name": "Ann", "room_name": "Office",
            "room_alias": "#o:x", "counts": ["unread": 3], "content": content, "devices": devices,
        ]
        return all.merging(more) { $1 }
    }

    private func bodies(_ notification: Object) throws -> [Object] {
        let request = try JSONSerialization.data(withJSONObject: ["notification": notification])
        let parsed = try MatrixNotification(Array(request))
        return try parsed.bodies(for: Array(parsed.devices.indices)).map { body in
            #expect(body.count <= MatrixNotification.bodyLimit)
            let root = try JSONSerialization.jsonObject(with: Data(body)) as? Object
            return try #require(root?["notification"] as? Object)
        }
    }

    private func text(_ count: Int) -> String { String(repeating: "ü", count: count / 2) }

    @Test("Each of several devices gets only its own entry")
    func severalDevices() throws {
        let devices: [Object] = [
            ["app_id": "a", "pushkey": "one", "tweaks": ["sound": "default"]],
            ["app_id": "b", "pushkey": "two", "data": ["default_payload": ["x": 1]]],
        ]
        let bodies = try bodies(notification(devices: devices))
        #expect(bodies.count == 2)
        for (body, device) in zip(bodies, devices) {
            let expected = notification(devices: [device])
            #expect(NSDictionary(dictionary: body) == NSDictionary(dictionary: expected))
        }
    }

    @Test("If it is too large, it loses markup, then content, then names, then all but the event")
    func cutting() throws {
        let markup: Object = ["body": "hi", "format": "html", "formatted_body": text(5_000)]
        var body = try bodies(notification(content: markup))[0]
        #expect(body["content"] as? [String: String] == ["body": "hi"])
        #expect(names.allSatisfy { body[$0] != nil })

        body = try bodies(notification(content: ["body": text(5_000)]))[0]
        #expect(body["content"] == nil && names.allSatisfy { body[$0] != nil })

        body = try bodies(notification(["room_name": text(5_000)]))[0]
        #expect(body["content"] == nil && names.allSatisfy { body[$0] == nil })
        #expect(body["sender"] as? String == "@ann:x")

        body = try bodies(notification(["type": text(5_000)]))[0]
        let rest = ["counts", "devices", "event_id", "prio", "room_id"]
        #expect(body.keys.sorted() == rest)
        #expect(body["counts"] as? [String: Int] == ["unread": 3])

        let device: Object = ["app_id": "a", "pushkey": "k", "data": ["x": text(5_000)]]
        body = try bodies(notification(devices: [device]))[0]
        #expect(body.keys.sorted() == (rest + ["type"]).sorted().filter { $0 != "devices" })
    }

    @Test("Relations to another event are kept, however much is cut")
    func relations() throws {
        let relation = ["rel_type": "m.replace", "event_id": "$a"]
        let edit: Object = [
            "body": "* b", "m.relates_to": relation,
            "m.new_content": ["body": "b", "formatted_body": text(5_000)],
        ]
        var content = try bodies(notification(content: edit))[0]["content"] as? Object
        #expect(content?["m.new_content"] as? [String: String] == ["body": "b"])
        for more in [[:], ["room_name": text(5_000)], ["x": text(5_000)]] as [Object] {
            let long = edit.merging(["body": text(5_000)]) { $1 }
            let body = try bodies(notification(content: long, more))[0]
            content = body["content"] as? Object
            #expect(content?["m.relates_to"] as? [String: String] == relation)
            #expect(content?.count == 1 && body["type"] as? String == "m.room.message")

            let redaction: Object = ["redacts": "$a", "reason": text(5_000)]
            let rest: Object = ["type": "m.room.redaction", "redacts": "$a"]
            let redacted = try bodies(
                notification(content: redaction, more.merging(rest) { $1 }))[0]
            #expect(redacted["content"] as? [String: String] == ["redacts": "$a"])
            #expect(redacted["redacts"] as? String == "$a")
        }
    }

    @Test("Nothing is refused for its size, and nothing larger than a push is passed on")
    func limits() throws {
        for length in Array(stride(from: 3_800, to: 4_100, by: 8)) + [500_000] {
            #expect(try bodies(notification(content: ["body": text(length)])).count == 1)
            let huge = notification([
                "event_id": text(length), "room_id": text(length), "counts": [text(length)],
            ])
            #expect(try bodies(huge).count == 1)
        }
        let most = Dictionary(
            uniqueKeysWithValues: ["event_id", "id", "room_id", "prio", "counts"].map {
                ($0, text(508) as Any)
            } + ["type", "redacts", "membership", "user_is_target"].map { ($0, text(253) as Any) })
        let relation = ["m.relates_to": text(230)]
        let event = try bodies(
            notification(content: relation, most.merging(["x": text(9_000)]) { $1 }))[0]
        #expect(event.count == 11 && event["event_id"] as? String == text(508))
        let many = (0..<9_000).map { ("\($0)", 1 as Any) }
        #expect(try bodies(notification(Object(uniqueKeysWithValues: many)))[0].count == 6)
    }

    @Test("Counts of the first drafts are moved into the notification, where clients look for them")
    func draftCounts() throws {
        let text = """
            {"notification":{"id":"1"},"counts":{"unread":2},"devices":
            [{"app_id":"a","pushkey":"k"},{"app_id":"a","pushkey":"l"}]}
            """
        let parsed = try MatrixNotification(Array(text.utf8))
        let bodies = parsed.bodies(for: [1]).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            bodies == [
                #"{"notification":{"id":"1","counts":{"unread":2},"#
                    + #""devices":[{"app_id":"a","pushkey":"l"}]}}"#
            ])
    }
}
