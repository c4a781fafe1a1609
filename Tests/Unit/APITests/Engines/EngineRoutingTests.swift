import Foundation
import Testing

@testable import Mailbox

@Suite("Routing of pushes to accounts")
struct EngineRoutingTests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    private func register(
        _ account: String, _ rest: String = "", app: String = "telegram", bearer: String? = nil
    ) throws -> EngineViewer {
        let answer = try fixture.api(
            "POST", "registrations", bearer: bearer ?? self.bearer,
            #"{"token_type":10,"app":"\#(app)","account":"\#(account)"\#(rest)}"#)
        #expect(answer.status == 201, "\(answer.text)")
        return try EngineViewer(
            fixture, bearer: bearer ?? self.bearer, account: account, app: app)
    }

    /// The texts that each client shows in the end.
    private func texts(_ viewers: EngineViewer...) throws -> [[String]] {
        for viewer in viewers { try viewer.settle() }
        return viewers.map(\.texts)
    }

    private func payload(_ text: String, id: Int, user: Int? = nil) -> String {
        let rest = user.map { #","user_id":"\#($0)"}"# } ?? "}"
        return String(RegisteredApp.message(text, id: id).dropLast()) + rest
    }

    @Test("A payload without a user id goes to every account that shares the endpoint")
    func shared() throws {
        let app = try RegisteredApp(
            fixture, #","user_id":1,"other_user_ids":[2,3,1,2,77]"#, bearer: bearer)
        let mine = try EngineViewer(app)
        let (second, third) = (
            try register("second", #","user_id":2"#), try register("third", #","user_id":3"#)
        )
        // Not listed, of another application, of another owner.
        let fourth = try register("fourth", #","user_id":4"#)
        let chat = try register("second", #","user_id":2"#, app: "chat")
        let stranger = try register(
            "second", #","user_id":2"#, bearer: try fixture.addCredential(owner: "other"))
        let push = try app.encrypted(payload("for all", id: 1))
        #expect(try app.send(push).status == 201 && app.send(push).status == 201)
        #expect(try app.push(payload("for one", id: 2, user: 3)).status == 201)
        let shown = try texts(mine, second, third, fourth, chat, stranger)
        #expect(shown == [["for all"], ["for all"], ["for all", "for one"], [], [], []])
        // One notification in each.
        #expect(second.appeared.count == 1)
        try fixture.restart()
        let again = try EngineViewer(fixture, bearer: bearer, account: "second")
        #expect(again.texts == ["for all"])
    }

    @Test("A push to an account's own endpoint goes only to that account")
    func alone() throws {
        let app = try RegisteredApp(fixture, #","user_id":1"#, bearer: bearer)
        let mine = try EngineViewer(app)
        let second = try register("second", #","user_id":2,"other_user_ids":[1]"#)
        #expect(try app.pushMessage("mine", id: 1).status == 201)
        #expect(try texts(mine, second) == [["mine"], []])
    }

    @Test("An account with a secret gets nothing through another account's endpoint")
    func secrets() throws {
        let app = try RegisteredApp(
            fixture, #","user_id":1,"other_user_ids":[2]"#, bearer: bearer)
        let mine = try EngineViewer(app)
        let sealed = try register("second", #","user_id":2,"secret":"new""#)
        #expect(try app.push(payload("for all", id: 1)).status == 201)
        #expect(try app.push(payload("for the second", id: 2, user: 2)).status == 201)
        #expect(try texts(mine, sealed) == [["for all"], []])
        // One registration without a secret is enough to demand none.
        _ = try register("second", #","user_id":2"#)
        #expect(try app.push(payload("for all again", id: 3)).status == 201)
        #expect(
            try texts(mine, sealed) == [["for all", "for all again"], ["for all again"]])
    }

    @Test("A fetch signal waits for each account of the endpoint")
    func fetches() throws {
        let app = try RegisteredApp(
            fixture, #","user_id":1,"other_user_ids":[2]"#, bearer: bearer)
        let mine = try EngineViewer(app)
        var second: EngineViewer? = try register("second", #","user_id":2"#)
        second?.agent.close()
        second = nil
        try mine.settle()
        #expect(try app.push("{}").status == 201)
        #expect(try mine.next("bellwire.updateFetchRequired")["reason"] != nil)
        let back = try EngineViewer(fixture, bearer: bearer, account: "second")
        #expect(try back.next("bellwire.updateFetchRequired")["reason"] as? String == "empty")
        #expect(try app.messages().isEmpty)
    }

    @Test("A hundred accounts get one push, none of them twice")
    func many() throws {
        let others = (2...101).map(String.init).joined(separator: ",")
        let app = try RegisteredApp(
            fixture, #","user_id":1,"other_user_ids":[\#(others)]"#, bearer: bearer)
        for user in 2...101 {
            let body =
                #"{"token_type":10,"app":"telegram","account":"a\#(user)","user_id":\#(user)}"#
            let made = try fixture.api("POST", "registrations", bearer: bearer, body)
            #expect(made.status == 201)
        }
        let push = try app.encrypted(payload("for all", id: 1))
        for _ in 0..<2 { #expect(try app.send(push).status == 201) }
        for user in [2, 50, 101] {
            let viewer = try EngineViewer(fixture, bearer: bearer, account: "a\(user)")
            #expect(viewer.texts == ["for all"])
        }
    }

    @Test("After waiting signals are fetched the account may ring again")
    func fetched() throws {
        let app = try RegisteredApp(
            fixture, app: "icq", #","notify_mode":"sendOnlyOne","clear":true"#, bearer: bearer)
        let viewer = try EngineViewer(fixture, bearer: bearer, app: "icq")
        func push(_ text: String) throws {
            let body =
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","\#(text)"]},"sound":"IM"}}"#
            #expect(try app.raw(Array(body.utf8)).status == 201)
            try viewer.settle()
        }
        try push("a")
        try push("b")
        #expect(viewer.appeared.count == 1)
        _ = try app.messages(fetching: true)
        try push("c")
        #expect(viewer.appeared.count == 2)
    }
}
