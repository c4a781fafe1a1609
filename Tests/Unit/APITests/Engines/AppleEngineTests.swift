import Foundation
import Testing

/// From an application server's push to the updates of an engine's client.
@Suite("Apple's and ZEGO's payloads, as a client sees them")
struct AppleEngineTests {
    private let app: RegisteredApp
    private let viewer: EngineViewer

    init() throws {
        let fixture = try PushFixture()
        let looks = #""presentation":{"loc_keys":{"KNOCK":"%@ knocks"}}"#
        app = try RegisteredApp(fixture, app: "door", #","dialect":"auto",\#(looks)"#)
        viewer = try EngineViewer(fixture, bearer: app.bearer, app: "door")
    }

    /// The updates for one push.
    private func push(_ text: String) throws -> [[String: Any]] {
        #expect(try app.push(text).status == 201)
        return try viewer.ask(#"{"@type":"getOption","name":"version"}"#).before
    }

    private func groups(_ updates: [[String: Any]]) -> [[String: Any]] {
        updates.filter { $0["@type"] as? String == "updateNotificationGroup" }
    }

    private func named(_ text: String, _ own: String = "") -> String {
        #"{"aps":{"alert":{"title":"Ann","body":"\#(text)"},"sound":"default","mutable-content":1},"payload":"{\"customId\":\"1\"\#(own)}"}"#
    }

    @Test("A replacement changes the notification in place, without a sound")
    func replace() throws {
        _ = try push(named("one"))
        let updates = try push(named("two"))
        #expect(groups(updates).isEmpty)
        #expect(updates.contains { $0["@type"] as? String == "updateNotification" })
        #expect(viewer.texts == ["two"] && viewer.appeared == [1])
        _ = try push(named("", #",\"retract\":true"#))
        #expect(viewer.texts.isEmpty)
    }

    @Test("An invitation rings until it is cancelled, and the next one rings again")
    func call() throws {
        let own = #",\"type\":\"call\""#
        for number in 1...2 {
            let rings = groups(try push(named("Ann calls", own)))
            let type = rings.last?["type"] as? [String: Any]
            #expect(type?["@type"] as? String == "notificationGroupTypeCalls", "\(number)")
            #expect(rings.last?["notification_sound_id"] as? String == "-1")
            _ = try push(named("Ann gave up \(number)"))
            #expect(viewer.texts == ["Ann gave up \(number)"])
        }
    }

    @Test("A badge alone shows no notification; keys are sentences of the application")
    func badge() throws {
        for count in [3, 0] {
            let updates = try push(#"{"aps":{"badge":\#(count)}}"#)
            let badge = updates.first { $0["@type"] as? String == "bellwire.updateUnreadBadge" }
            #expect(badge?["count"] as? Int == count && groups(updates).isEmpty)
        }
        _ = try push(#"{"aps":{"alert":{"loc-key":"KNOCK","loc-args":["Bob"]},"thread-id":"t"}}"#)
        #expect(viewer.texts == ["Bob knocks"])
    }
}
