import Base
import Foundation
import Testing

@testable import Mailbox

@Suite("Fetchers and viewers")
struct EngineRoleTests {
    private static let viewer = "&role=viewer"
    private static let fetch = "bellwire.updateFetchRequired"
    private static let action = "bellwire.updateNotificationAction"

    private func app(_ rest: String = "", type: Int = 10) throws -> RegisteredApp {
        try RegisteredApp(try PushFixture(), type: type, rest)
    }

    /// The user's action on the last notification.
    private func choose(
        _ client: EngineViewer, _ action: String = "default", text: String? = nil
    ) throws -> [String: Any] {
        let id = try #require(client.screen.values.flatMap(\.keys).max())
        let group = try #require(client.screen.first { $0.value[id] != nil }?.key)
        let text = text.map { #","text":"\#($0)""# } ?? ""
        return try client.ask(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":\#(group),"notification_id":\#(id),"action":"\#(action)"\#(text)}"#
        ).answer
    }

    private func actions(_ client: EngineViewer) throws -> [String] {
        try client.settle(Self.action).compactMap { $0["id"] as? String }
    }

    @Test("A viewer takes nothing: payloads wait for the first fetcher")
    func payloads() throws {
        let app = try app()
        #expect(try app.pushMessage("a", id: 1).status == 201)
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(viewer.texts == ["a"])
        #expect(try app.pushMessage("b", id: 2).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["a", "b"])
        #expect(try app.payloads().count == 2)
        let fetcher = try EngineViewer(app)
        try fetcher.settle()
        #expect(try app.payloads().isEmpty && fetcher.texts == ["a", "b"])
        #expect(try app.pushMessage("c", id: 3).status == 201)
        #expect(try app.payloads().isEmpty)
    }

    @Test("A fetch update waits with its details for a fetcher, and is sent once")
    func notices() throws {
        let app = try app()
        var viewer: EngineViewer? = try EngineViewer(app, Self.viewer)
        let call =
            #"{"loc_key":"VIDEO_CALL_REQUEST","loc_args":["Ada"],"custom":{"from_id":"5","call_id":"77","updates":"dXA"}}"#
        #expect(try app.push(call).status == 201)
        #expect(try viewer?.next(Self.fetch)["call_id"] as? String == "77")
        #expect(try app.messages().contains { $0["count"] as? Int == 1 })
        viewer = nil
        try app.fixture.restart()
        var fetcher = try EngineViewer(app)
        let told = try fetcher.settle(Self.fetch)
        #expect(told.count == 1 && told.first?["updates"] as? String == "dXA")
        #expect(told.first?["call_id"] as? String == "77")
        fetcher = try EngineViewer(app)
        #expect(try fetcher.settle(Self.fetch).isEmpty && app.messages().isEmpty)
    }

    @Test("A request for live locations waits for a fetcher")
    func locations() throws {
        let app = try app()
        let viewer = try EngineViewer(app, Self.viewer)
        let request =
            #"{"@type":"bellwire.processPush","dialect":"telegram","payload":"{\"loc_key\":\"GEO_LIVE_PENDING\",\"loc_args\":[],\"custom\":{}}"}"#
        try viewer.ask(request)
        try app.fixture.restart()
        let name = "bellwire.updateLiveLocationsNeeded"
        #expect(try EngineViewer(app).settle(name).count == 1)
        #expect(try EngineViewer(app).settle(name).isEmpty)
    }

    @Test("A click waits for a fetcher under one id until it is confirmed")
    func clicks() throws {
        let app = try app()
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(try app.pushMessage("a", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(try choose(viewer, "reply", text: "yes")["@type"] as? String == "ok")
        try app.fixture.restart()
        var fetcher = try EngineViewer(app)
        let told = try #require(try fetcher.settle(Self.action).first)
        #expect(told["id"] as? String == "1" && told["text"] as? String == "yes")
        #expect((told["data"] as? [String: Any])?["msg_id"] as? String == "1")
        #expect(told["service"] == nil)
        fetcher = try EngineViewer(app)
        #expect(try actions(fetcher) == ["1"], "nobody has said so")
        try fetcher.ask(#"{"@type":"bellwire.actionTaken","id":"1"}"#)
        fetcher = try EngineViewer(app)
        #expect(try actions(fetcher).isEmpty)
    }

    @Test("Viewers get actions only when no fetcher is connected")
    func viewers() throws {
        let app = try app(#","service":"org.example.App""#)
        let viewer = try EngineViewer(app, Self.viewer)
        var fetcher: EngineViewer? = try EngineViewer(app)
        #expect(try app.pushMessage("a", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(try choose(viewer)["@type"] as? String == "ok")
        #expect(try fetcher.map(actions) == ["1"])
        #expect(try EngineViewer(app, Self.viewer).settle(Self.action).isEmpty)
        fetcher?.agent.close()
        fetcher = nil
        let told = try viewer.next(Self.action)
        #expect(told["id"] as? String == "1" && told["service"] as? String == "org.example.App")
        #expect(try actions(EngineViewer(app, Self.viewer)) == ["1"])
        try viewer.ask(#"{"@type":"bellwire.actionTaken","id":1}"#)
        #expect(try actions(EngineViewer(app, Self.viewer)).isEmpty)
        // With only a viewer connected, it gets the next action at once.
        #expect(try app.pushMessage("b", id: 2).status == 201)
        try viewer.next("updateNotificationGroup")
        _ = try choose(viewer, "mark_read")
        #expect(try actions(EngineViewer(app)) == ["2"])
    }

    @Test("A signal for a program waits until a viewer confirms that the program has it")
    func services() throws {
        let app = try app(#","service":"org.example.App""#, type: 4)
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(try app.raw(Array("version=9".utf8), method: "PUT", []).status == 201)
        let first = try viewer.next(Self.fetch)
        #expect(first["service"] as? String == "org.example.App")
        #expect(first["version"] as? String == "9")
        let id = try #require(first["id"] as? String)
        // The program could not be reached, so the next push repeats the first signal under its id.
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try viewer.next(Self.fetch)["id"] as? String == id)
        let other = try EngineViewer(app, Self.viewer)
        #expect(try other.next(Self.fetch)["id"] as? String == id)
        try viewer.ask(#"{"@type":"bellwire.signalTaken","id":"\#(id)"}"#)
        let next = try other.next(Self.fetch)
        #expect(next["id"] as? String != id && next["version"] == nil)
        try app.fixture.restart()
        let last = try EngineViewer(app, Self.viewer)
        let again = try last.settle(Self.fetch)
        #expect(again.map { $0["id"] as? String } == [next["id"] as? String])
        let taken = try #require(next["id"] as? String)
        try last.ask(#"{"@type":"bellwire.signalTaken","id":"\#(taken)"}"#)
        #expect(try last.settle(Self.fetch).isEmpty && app.messages().isEmpty)
        let wrong = try last.ask(#"{"@type":"bellwire.signalTaken","id":"x"}"#).answer
        #expect(wrong["code"] as? Int == 400)
    }

    @Test("A push without content wakes the program, too")
    func wakes() throws {
        let app = try app(#","service":"org.example.App""#)
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(try app.push("{}").status == 201)
        #expect(try viewer.next(Self.fetch)["reason"] as? String == "empty")
        #expect(try viewer.next(Self.fetch)["service"] as? String == "org.example.App")
        // A fetcher gets it as a fetch update only.
        let told = try EngineViewer(app).settle(Self.fetch)
        #expect(told.map { $0["reason"] as? String } == ["empty"])
        #expect(try app.messages().isEmpty)
    }

    @Test("A signal without a program waits for a fetcher, even with viewers")
    func unnamed() throws {
        let app = try app(type: 4)
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try viewer.settle(Self.fetch).isEmpty)
        #expect(try EngineViewer(app).next(Self.fetch)["reason"] as? String == "signal")
    }

    @Test("Raw payloads are repeated until the application confirms them")
    func raw() throws {
        let app = try app()
        #expect(try app.pushMessage("before", id: 1).status == 201)
        var fetcher = try EngineViewer(app, "&raw=true")
        let name = "bellwire.updateRawPush"
        func taken(_ update: [String: Any]) throws -> String {
            let payload = update["payload"] as? String ?? ""
            #expect(update["encoding"] as? String == "aes128gcm")
            #expect(update["received"] as? Int ?? 0 > 1_600_000_000)
            return String(decoding: Base64URL.decode(payload) ?? [], as: UTF8.self)
        }
        let (plain, viewer) = (try EngineViewer(app), try EngineViewer(app, Self.viewer))
        #expect(try app.pushMessage("one", id: 2).status == 201)
        let update = try fetcher.next(name)
        #expect(try taken(update) == RegisteredApp.message("one", id: 2))
        try fetcher.settle()
        #expect(fetcher.texts.contains("one"), "and it is shown")
        #expect(try plain.settle(name).isEmpty && viewer.settle(name).isEmpty)
        fetcher.agent.close()
        #expect(try app.pushMessage("two", id: 3).status == 201)
        try app.fixture.restart()
        fetcher = try EngineViewer(app, "&raw=true")
        let waiting = try fetcher.settle(name)
        #expect(
            try waiting.map(taken)
                == ["one", "two"].enumerated().map {
                    RegisteredApp.message($1, id: $0 + 2)
                })
        let id = try #require(update["id"] as? String)
        #expect(waiting.first?["id"] as? String == id)
        try fetcher.ask(#"{"@type":"bellwire.rawPushTaken","id":"\#(id)"}"#)
        #expect(try EngineViewer(app, "&raw=true").settle(name).count == 1)
        // The client no longer wants raw payloads.
        try EngineViewer(app, "&raw=false").settle()
        #expect(try EngineViewer(app, "&raw=true").settle(name).isEmpty)
    }

    @Test("Waiting payloads are not dropped; new ones are refused until there is room")
    func rawBound() throws {
        let app = try app()
        let fetcher = try EngineViewer(app, "&raw=true")
        let text = String(repeating: "x", count: 3_000)
        var (sent, status) = (0, 201)
        for id in 1...1_000 where status != 429 {
            status = try app.pushMessage(text, id: id).status
            if status == 201 { sent += 1 }
        }
        #expect(status == 429 && sent > 300 && sent < 360)
        #expect(try app.pushMessage(text, id: 2_000).status == 429)
        try fetcher.ask(#"{"@type":"bellwire.rawPushTaken","id":1}"#)
        #expect(try app.pushMessage(text, id: 2_001).status == 201)
    }

    @Test("A client's fetching ends with the client")
    func fetching() throws {
        let app = try app()
        let viewer = try EngineViewer(app, Self.viewer)
        let fetcher = try EngineViewer(app)
        #expect(try app.pushMessage("a", id: 1).status == 201)
        try fetcher.ask(#"{"@type":"bellwire.setFetching","active":true}"#)
        let name = "updateHavePendingNotifications"
        while try viewer.next(name)["have_unreceived_notifications"] as? Bool != true {}
        fetcher.agent.close()
        while try viewer.next(name)["have_unreceived_notifications"] as? Bool != false {}
        #expect(viewer.texts == ["a"])
    }

    @Test("Delayed updates are sent when a client closes")
    func closing() throws {
        let app = try app()
        let (first, second) = (try EngineViewer(app), try EngineViewer(app, Self.viewer))
        try first.ask(
            #"{"@type":"bellwire.setOnline","self":false,"others_online_since":99999999999}"#)
        try first.ask(#"{"@type":"bellwire.setChat","chat_id":5,"title":"Ada"}"#)
        let date = Int(Date().timeIntervalSince1970)
        try first.ask(
            #"{"@type":"bellwire.addMessage","message":{"@type":"message","id":11534336,"chat_id":5,"date":\#(date),"content":{"@type":"messageText"}}}"#
        )
        #expect(first.screen.isEmpty)
        let (before, answer) = try first.ask(#"{"@type":"close"}"#)
        #expect(answer["@type"] as? String == "ok")
        #expect(before.contains { $0["@type"] as? String == "updateNotificationGroup" })
        #expect(first.agent.closing() == "1000 ")
        try second.next("updateNotificationGroup")
        #expect(second.screen.count == 1)
    }

    @Test("The badge survives a restart, and falls when messages are read")
    func badge() throws {
        let app = try app()
        let name = "bellwire.updateUnreadBadge"
        #expect(try EngineViewer(app).settle(name).isEmpty)
        let text = String(RegisteredApp.message("a", id: 1).dropLast()) + #","badge":"7"}"#
        #expect(try app.push(text).status == 201)
        try app.fixture.restart()
        let viewer = try EngineViewer(app, Self.viewer)
        #expect(try viewer.settle(name).map { $0["count"] as? Int } == [7])
        let read =
            #"{"loc_key":"READ_HISTORY","loc_args":[],"custom":{"from_id":"500","max_id":"1"}}"#
        #expect(try app.push(read).status == 201)
        #expect(try viewer.next(name)["count"] as? Int == 6)
        #expect(viewer.screen.isEmpty)
    }

    @Test("An unknown role is refused, and so are raw payloads for a viewer")
    func names() throws {
        let app = try app()
        for query in ["&role=owner", "&raw=yes", "&role=viewer&raw=true", "&role="] {
            do {
                _ = try EngineViewer(app, query)
                Issue.record("taken: \(query)")
            } catch let refused as UserAgent.Refused { #expect(refused.status == 400) }
        }
        #expect(try EngineViewer(app, "&role=fetcher&raw=true").screen.isEmpty)
        #expect(try EngineViewer(app, "&role=viewer&raw=false").screen.isEmpty)
    }
}
