import Foundation
import Testing

/// The promises of docs/engine.md to a client, from its first object to the last.
@Suite("The life of an engine, as its clients see it")
struct EngineLifeTests {
    private func types(_ agent: UserAgent, _ count: Int) throws -> [String] {
        try (0..<count).map { _ in try agent.members()["@type"] as? String ?? "" }
    }

    private func agent(_ app: RegisteredApp) throws -> UserAgent {
        try UserAgent(
            app.fixture, path: "/api/v1/engine?account=me",
            [("Authorization", "Bearer \(app.bearer)")])
    }

    @Test("A client first gets consent, shown notifications and registrations")
    func beginning() throws {
        let app = try RegisteredApp(
            try PushFixture(), #","presentation":{"link_schemes":["matrix"]}"#)
        let first = try agent(app)
        let source = try first.members()
        #expect(source["@type"] as? String == "bellwire.updateSource")
        #expect(source["replies"] as? Bool == false)
        #expect(source["link_schemes"] as? [String] == ["matrix"])
        let beginning = ["updateActiveNotifications", "updateHavePendingNotifications"]
        #expect(try types(first, 2) == beginning)
        first.send(
            #"{"@type":"registerDevice","device_token":{"@type":"deviceTokenSimplePush","endpoint":"https://a"}}"#
        )
        let asked = ["bellwire.updateFetchRequired"]
        #expect(try types(first, 2) == asked + ["pushReceiverId"])
        let second = try agent(app)
        #expect(try types(second, 3) == ["bellwire.updateSource"] + beginning)
        let again = try second.members()
        #expect(again["reason"] as? String == "register_device")
        #expect(again["token"] as? String == "https://a")
        // Another registration agrees to more, and connected clients learn it.
        _ = try RegisteredApp(
            app.fixture, #","presentation":{"replies":true}"#, bearer: app.bearer)
        for agent in [first, second] {
            let source = try agent.members()
            #expect(source["replies"] as? Bool == true)
            #expect(source["link_schemes"] as? [String] == ["matrix"])
        }
    }

    @Test("An answer carries its @extra and goes only to the client that asked")
    func answers() throws {
        let app = try RegisteredApp(try PushFixture())
        let (first, second) = (try EngineViewer(app), try EngineViewer(app))
        let answer = try first.ask(
            #"{"@type":"setOption","name":"x","value":{"@type":"optionValueInteger","value":7}}"#
        ).answer
        #expect(answer["@type"] as? String == "ok")
        let heard = try second.ask(#"{"@type":"getOption","name":"x"}"#)
        #expect(heard.answer["value"] as? String == "7")
        #expect(heard.before.contains { $0["@type"] as? String == "updateOption" })
        #expect(heard.before.allSatisfy { $0["@extra"] == nil })
    }

    @Test("25 groups are visible until a client sets another number for all")
    func groups() throws {
        let app = try RegisteredApp(try PushFixture())
        let (first, second) = (try EngineViewer(app), try EngineViewer(app))
        for user in 1...27 { #expect(try app.pushMessage("x", id: 1, from: user).status == 201) }
        try first.settle()
        #expect(first.screen.count == 25)
        try first.ask(
            #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueInteger","value":3}}"#
        )
        try second.settle()
        #expect(first.screen.count == 3 && second.screen == first.screen)
    }

    @Test("A client with waiting requests is not read, and all are answered in the end")
    func requests() throws {
        let app = try RegisteredApp(try PushFixture())
        let agent = try agent(app)
        #expect(try types(agent, 2).last == "updateHavePendingNotifications")
        app.fixture.gate.shut(.other)
        let before = app.fixture.gate.count(of: .other)
        let room = String(repeating: "x", count: 1_000)
        for number in 0..<1_000 {
            agent.send(
                #"{"@type":"getOption","name":"version","@extra":\#(number),"x":"\#(room)"}"#)
        }
        #expect(app.fixture.gate.await(.other, before + 8))
        // One buffer of further requests was read with them.
        #expect(app.fixture.gate.count(of: .other) < before + 90)
        app.fixture.gate.open()
        for number in 0..<1_000 { #expect(try agent.members()["@extra"] as? Int == number) }
    }

    @Test("A fetch signal names the application that its registration names")
    func service() throws {
        let app = try RegisteredApp(
            try PushFixture(), type: 4, #","service":"org.example.App""#)
        #expect(try app.raw([], method: "PUT", []).status == 201)
        let signal = try EngineViewer(app).next("bellwire.updateFetchRequired")
        #expect(signal["service"] as? String == "org.example.App")
    }

    @Test(
        "An account that a client destroys keeps its registrations",
        arguments: ["logOut", "destroy"])
    func forgotten(request: String) throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        #expect(try app.pushMessage("x", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        try viewer.ask(#"{"@type":"\#(request)"}"#)
        #expect(viewer.screen.isEmpty)
        #expect(try app.call("GET", "registrations/\(app.id)").status == 200)
        #expect(try app.pushMessage("y", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["y"])
    }

    @Test("A push that its sender withdraws is gone from the screen")
    func withdrawn() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        let location = try #require(try app.pushMessage("x", id: 1)["location"])
        try viewer.next("updateNotificationGroup")
        #expect(viewer.texts == ["x"])
        #expect(try app.fixture.request("DELETE", location).status == 204)
        try viewer.next("updateNotificationGroup")
        #expect(viewer.screen.isEmpty)
    }

    @Test("It ends with the last registration; a later one starts over")
    func end() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        #expect(try app.pushMessage("x", id: 1).status == 201)
        try viewer.next("updateNotificationGroup")
        #expect(try app.call("DELETE", "registrations/\(app.id)").status == 204)
        let last = try viewer.next("error")
        #expect(last["code"] as? Int == 404 && last["@extra"] == nil)
        #expect(viewer.screen.isEmpty && viewer.agent.closing() == "1000 ")
        let later = try RegisteredApp(app.fixture, bearer: app.bearer)
        #expect(try later.pushMessage("y", id: 1).status == 201)
        #expect(try EngineViewer(later).screen == [1: [1: "y"]])
    }

    @Test("Nothing rings while another client of the account is in use")
    func paused() throws {
        let app = try RegisteredApp(
            try PushFixture(), app: "icq", #","notify_mode":"applePushNotification""#)
        let viewer = try EngineViewer(app.fixture, bearer: app.bearer, app: "icq")
        func sound(_ text: String) throws -> String? {
            let payload =
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","\#(text)"]},"sound":"IM"}}"#
            #expect(try app.push(payload).status == 201)
            return try viewer.next("updateNotificationGroup")["notification_sound_id"] as? String
        }
        #expect(try sound("a") == "-1")
        #expect(try app.call("POST", "sources/\(app.id)/active").status == 204)
        #expect(try sound("b") == "0")
        #expect(try app.call("GET", "registrations/\(app.id)").status == 200)
        #expect(try sound("c") == "-1")
    }
}
