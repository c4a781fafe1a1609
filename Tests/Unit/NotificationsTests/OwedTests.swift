import Base
import Testing
@testable import Notifications

@Suite("Updates that wait for an application")
struct OwedTests {
    private func choose(
        _ story: inout Story, _ action: String = "default", text: String? = nil,
        token: String? = nil
    ) throws -> Outcome? {
        let id = story.engine.account.lastNotificationID
        let more =
            (text.map { #","text":"\#($0)""# } ?? "")
            + (token.map { #","activation_token":"\#($0)""# } ?? "")
        let group = try #require(
            story.engine.activeGroups.first { $0.notifications.contains { $0.id == id } }?.id)
        return try story.request(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group),"notification_id":\#(id),"action":"\#(action)"\#(more)}"#
        )
    }

    private func json(_ update: Update) throws -> JSONNode {
        var writer = JSONWriter()
        update.write(to: &writer)
        return try JSONDocument(writer.bytes).root
    }

    private func owed(_ story: Story, _ role: OwedRole = .fetcher) throws -> [JSONNode] {
        try story.engine.owedUpdates(for: role).map(json)
    }

    private func ids(_ story: Story) -> [Int64] { story.engine.account.owed.items.map(\.id) }

    @Test("A click waits under its number until it is acknowledged, even over a restart")
    func waits() throws {
        var story = Story()
        story.text("a", id: 11)
        #expect(try choose(&story) == .ok)
        try story.restart()
        let told = try owed(story)
        #expect(told.map { $0["id"]?.text } == ["1"] && told[0]["action"]?.text == "default")
        #expect(told[0]["date"]?.integer == 1_800_000_060)
        try story.request(#"{"@type":"bellwire.actionTaken","id":"1"}"#)
        #expect(story.engine.account.owed.isEmpty)
        // It may have belonged to another one.
        #expect(try story.request(#"{"@type":"bellwire.actionTaken","id":1}"#) == .ok)
        #expect(
            try story.request(#"{"@type":"bellwire.actionTaken"}"#)
                == .badRequest("Identifier is invalid"))
        story.text("b", id: 12)
        #expect(try choose(&story, "reply", text: "yes") == .ok)
        #expect(ids(story) == [2], "a number serves once")
    }

    @Test("An action carries the payload's own data, and a token that is not kept")
    func data() throws {
        var story = Story()
        story.text("a", id: 11)
        story.updates = []
        #expect(try choose(&story, token: String(repeating: "x", count: 257)) != .ok)
        #expect(try choose(&story, token: "t1") == .ok)
        let told = try json(try #require(story.updates.first))
        #expect(told["data"]?["msg_id"]?.text == "11" && told["activation_token"]?.text == "t1")
        let again = try #require(try owed(story).first)
        #expect(again["data"]?["msg_id"]?.text == "11" && !again.has("activation_token"))
    }

    @Test("Clicks not handled within an hour are dropped, replies stay")
    func expiry() throws {
        var story = Story()
        for (id, (action, text)) in [("default", nil), ("reply", "yes")].enumerated() {
            story.text("m", id: 11 + id)
            #expect(try choose(&story, action, text: text) == .ok)
        }
        story.pass(3_599)
        #expect(ids(story) == [1, 2])
        #expect(story.engine.nextDeadline == story.now + 1)
        story.updates = []
        story.pass(1)
        #expect(ids(story) == [2] && story.updates == [.actionExpired(id: 1)])
        #expect(story.engine.nextDeadline == nil)
        story.pass(40 * 86_400)
        #expect(ids(story) == [2])
    }

    @Test("When full, the oldest clicks are dropped; a reply is refused rather than dropped")
    func bounds() throws {
        var story = Story(size: 1)
        for id in 0..<300 {
            story.text("m", id: 11 + id)
            #expect(try choose(&story) == .ok)
        }
        #expect(ids(story) == Array(45...300))
        for id in 0..<256 {
            story.text("m", id: 1_011 + id)
            #expect(try choose(&story, "reply", text: "r") == .ok)
        }
        story.text("last", id: 2_000)
        let full = Outcome.error(
            code: 429, message: "Too Many Requests: actions wait to be taken")
        #expect(try choose(&story, "reply", text: "one more") == full)
        #expect(try choose(&story) == full)
        #expect(story.shown == [["last"]] && ids(story) == Array(301...556))
        try story.request(#"{"@type":"bellwire.actionTaken","id":400}"#)
        #expect(try choose(&story, "reply", text: "one more") == .ok)
    }

    @Test("A reply larger than the room for waiting actions is refused")
    func long() throws {
        var story = Story()
        story.text("m", id: 11)
        let text = String(repeating: "x", count: 256 << 10)
        #expect(try choose(&story, "reply", text: text) != .ok)
        #expect(story.shown == [["m"]] && story.engine.account.owed.isEmpty)
    }

    @Test("Notices wait until they are acknowledged, each once")
    func notices() throws {
        var story = Story()
        for _ in 0..<3 { story.push("{}") }
        story.push(#"{"loc_key":"GEO_LIVE_PENDING","loc_args":[],"custom":{}}"#)
        for address in ["1.1.1.1:1", "2.2.2.2:2"] {
            story.push(
                #"{"loc_key":"DC_UPDATE","loc_args":[],"custom":{"dc":2,"addr":"\#(address)"}}"#,
                level: .mtproto)
        }
        try story.restart()
        let told = story.engine.owedUpdates(for: .fetcher)
        #expect(
            told == [
                .fetchRequired(reason: "empty", details: []), .liveLocationsNeeded,
                .dcOption(dc: 2, address: "2.2.2.2:2", getConfig: false),
            ])
        #expect(story.engine.owedUpdates(for: .viewer).isEmpty)
        let last = story.engine.account.owed.lastID
        story.push("{}")
        try story.request(#"{"@type":"bellwire.heard","through":\#(last)}"#)
        #expect(
            story.engine.owedUpdates(for: .fetcher) == [
                .fetchRequired(reason: "empty", details: [])
            ])
    }

    @Test("When too many notices wait, the oldest is dropped")
    func noticeBounds() {
        var story = Story()
        for call in 1...300 {
            story.push(
                #"{"loc_key":"VIDEO_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":"1","call_id":"\#(call)"}}"#
            )
        }
        let owed = story.engine.account.owed.items
        #expect(owed.count == 256 && owed.first?.id == 45)
    }

    @Test("Payloads wait as received for an application that asked for them")
    func raw() throws {
        var story = Story()
        #expect(story.engine.account.owed.hasRoom(forRaw: 8 << 20), "nothing is kept")
        try story.request(#"{"@type":"bellwire.setRaw","active":true}"#)
        _ = story.engine.keepRaw(Array("{}".utf8), encoding: "aes128gcm", now: story.now)
        story.settle()
        try story.restart()
        #expect(try owed(story, .fetcher).isEmpty && owed(story, .viewer).isEmpty)
        let told = try #require(try owed(story, .rawFetcher).first)
        #expect(told["@type"]?.text == "bellwire.updateRawPush" && told["id"]?.text == "1")
        #expect(told["payload"]?.text == "e30" && told["encoding"]?.text == "aes128gcm")
        #expect(told["received"]?.integer == 1_800_000_060)
        // The number belongs to another one.
        try story.request(#"{"@type":"bellwire.actionTaken","id":1}"#)
        #expect(ids(story) == [1])
        try story.request(#"{"@type":"bellwire.rawPushTaken","id":1}"#)
        #expect(ids(story).isEmpty)
        let large = [UInt8](repeating: 0, count: 1 << 20)
        #expect(story.engine.account.owed.hasRoom(forRaw: large.count))
        _ = story.engine.keepRaw(large, encoding: "clear", now: story.now)
        #expect(!story.engine.account.owed.hasRoom(forRaw: 1))
        try story.request(#"{"@type":"bellwire.setRaw","active":false}"#)
        #expect(ids(story).isEmpty && story.engine.account.owed.hasRoom(forRaw: 1))
    }

    @Test("Replaying a journal leaves the same waiting updates as the state")
    func replay() throws {
        var story = Story()
        let before = story.engine.account
        let entries: [EngineEntry] = [
            .request(Array(#"{"@type":"bellwire.setRaw","active":true}"#.utf8)),
            .push(payload: Array("{}".utf8), .telegram, .webpush, id: ""),
            .push(payload: Array(#"{"message":"m"}"#.utf8), .plain, .webpush, id: ""),
            .raw(payload: [1, 2], encoding: "aesgcm"),
            .request(
                Array(
                    #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":1,"notification_id":1,"action":"reply","text":"x","activation_token":"t"}"#
                        .utf8)),
            .request(Array(#"{"@type":"bellwire.heard","through":1}"#.utf8)), .time,
        ]
        for entry in entries { _ = story.engine.perform(entry, now: story.now) }
        var again = Engine(before)
        again.start(now: story.now)
        for entry in entries {
            _ = again.perform(try EngineEntry(entry.bytes), now: story.now)
        }
        #expect(again.account == story.engine.account)
        #expect(ids(story) == [2, 3])
        #expect(try Account(state: again.account.state) == again.account)
    }
}
