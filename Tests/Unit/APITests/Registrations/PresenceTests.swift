import Base
import Testing

@testable import Mailbox

@Suite("Presence of the user")
struct PresenceTests {
    @Test("A user reached by push counts as online until the session ends")
    func online() throws {
        let app = try RegisteredApp(try PushFixture(), app: "icq", #","session_timeout":600"#)
        let answer = try app.call("GET", "sources/\(app.id)").object()
        #expect(answer["online"] as? Bool == true && answer["mobile"] as? Bool == true)
        let created = try app.call("GET", "registrations/\(app.id)").object()["created"] as? Int
        let until = answer["until"] as? Int ?? 0
        #expect(abs(until - (created ?? 0) - 600) <= 2)
        #expect(Set(answer.keys) == ["online", "mobile", "until"])
    }

    @Test("Another client takes the account offline until it is used again")
    func paused() throws {
        let app = try RegisteredApp(try PushFixture(), app: "icq")
        for _ in 0..<2 {
            #expect(try app.call("POST", "sources/\(app.id)/active").status == 204)
        }
        let paused = try app.call("GET", "sources/\(app.id)").object()
        #expect(paused["online"] as? Bool == false && paused["mobile"] as? Bool == false)
        // Messages are stored in any case.
        #expect(try app.push("x").status == 201)
        #expect(try app.payloads(fetching: true) == ["x"])
        let back = try app.call("GET", "sources/\(app.id)").object()
        #expect(back["online"] as? Bool == true)
        #expect(try app.call("GET", "sources/AAAAAAAAAAAAAAAAAAAAAA").code == "404/1002")
    }

    private func presence(_ app: RegisteredApp) throws -> [Bool?] {
        let answer = try app.call("GET", "sources/\(app.id)").object()
        return [answer["online"] as? Bool, answer["mobile"] as? Bool]
    }

    @Test("A client can say that it is mobile, and that is stored")
    func mobile() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, app: "icq")
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "icq")
        #expect(try presence(app) == [true, true])
        try viewer.ask(#"{"@type":"bellwire.setSource","mobile":false}"#)
        #expect(try presence(app) == [true, false])
        try fixture.restart()
        #expect(try presence(app) == [true, false])
        let again = try EngineViewer(fixture, bearer: app.bearer, app: "icq")
        try again.ask(#"{"@type":"bellwire.setSource","mobile":true}"#)
        #expect(try presence(app) == [true, true])
    }

    @Test("Another client in use can say that it is mobile")
    func otherClient() throws {
        let app = try RegisteredApp(try PushFixture(), app: "icq")
        for (body, isMobile) in [
            (#"{"mobile":true}"#, true), (#"{"mobile":false}"#, false), ("{}", false),
        ] {
            let answer = try app.call("POST", "sources/\(app.id)/active", body)
            #expect(answer.status == 204)
            #expect(try presence(app) == [false, isMobile])
        }
        for body in [#"{"mobile":1}"#, #"{"mobil":true}"#, "x"] {
            #expect(try app.call("POST", "sources/\(app.id)/active", body).status == 400)
        }
    }
}
