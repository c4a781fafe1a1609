import Foundation
import Testing

/// What docs/engine.md promises a client, from its first object to the last.
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

    @Test("First a client hears what may be typed and linked, what is shown, and what to register")
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
        // Another registration agrees to more, and those who are there hear of it.
        _ = try RegisteredApp(
            app.fixture, #","presentation":{"replies":true}"#, bearer: app.bearer)
        for agent in [first, second] {
            let source = try agent.members()
            #expect(source["replies"] as? Bool == true)
            #expect(source["link_schemes"] as? [String] == ["matrix"])
        }
    }

    @Test("An answer comes with the mark of who asked, to no one else")
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

    @Test("25 groups are visible until a client says how many, and that holds for all of them")
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

    @Test("Of a client whose requests wait no more are read, and in the end all are answered")
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
        // A bufferful of others was read with them.
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
        "Forgotten by a client, an account keeps its registrations",
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

    @Test("It ends with the last registration, in words, and a later one counts from the beginning")
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

    @Test("While another client of the account is in use nothing rings, and then it does again")
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
