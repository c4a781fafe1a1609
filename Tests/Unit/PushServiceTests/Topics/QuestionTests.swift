import Base
import Crypto
import Foundation
import Synchronization
import System
import Testing
import Topics

@testable import Mailbox
@testable import PushService

@Suite("Questions at topics")
struct QuestionTests {
    private let fixture: PushFixture
    private let bearer: String
    private let asker: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
        asker = try fixture.token(.write)
        try fixture.addTopic("t")
    }

    private func screen() throws -> EngineViewer {
        try EngineViewer(fixture, bearer: bearer, account: "t", app: AccountName.scripts)
    }

    private func ask(
        _ query: String = "ask=yes,no", _ bearer: String? = nil, _ fields: PushFixture.Fields = []
    ) throws -> HTTPAnswer {
        try fixture.ntfy("POST", "/t?\(query)", bearer ?? asker, "Deploy?", fields)
    }

    private func press(_ screen: EngineViewer, _ place: Int) throws -> [String: Any] {
        let actions = screen.presentation["actions"] as? [[String: Any]] ?? []
        let name = try #require(actions[place]["action"] as? String)
        let group = try #require(screen.screen.keys.first)
        let id = try #require(screen.screen[group]?.keys.first)
        return try screen.ask(
            #"{"@type":"bellwire.invokeNotificationAction","action":"\#(name)","#
                + #""notification_group_id":\#(group),"notification_id":\#(id)}"#
        ).answer
    }

    @Test("The first button pressed answers the request that waits, and the question is gone")
    func pressed() throws {
        let (screen, other) = (try screen(), try screen())
        let waiting = try Waiting(fixture, "/t?ask=yes,no&wait=10m", asker)
        #expect(waiting.answer.status == 200)
        let place = try #require(waiting.answer["location"])
        try screen.next("updateNotificationGroup")
        try other.next("updateNotificationGroup")
        #expect(screen.texts == ["Deploy?"])
        let actions = screen.presentation["actions"] as? [[String: Any]] ?? []
        #expect(actions.compactMap { $0["title"] as? String } == ["yes", "no"])
        #expect(try press(screen, 1)["@type"] as? String == "ok")
        let ended = try waiting.object()
        #expect(ended["state"] as? String == "answered" && ended["answer"] as? String == "no")
        #expect(ended["id"] as? String == String(place.suffix(12)))
        #expect((ended["by"] as? String)?.hasPrefix("test ") == true && ended["at"] is Int)
        try other.next("updateNotificationGroup")
        #expect(screen.texts.isEmpty && other.texts.isEmpty)
        // Later and repeated ones get the same.
        let again = try fixture.ntfy("GET", place, asker).object()
        #expect(again as NSDictionary == ended as NSDictionary)
    }

    @Test("Without wait there is an address to be polled; a wait there ends with the question")
    func polled() throws {
        let asked = try ask()
        #expect(asked.status == 202 && asked.text("state") == "open")
        let place = try #require(asked["location"])
        #expect(place == "/v1/questions/" + asked.text("id"))
        #expect(try fixture.ntfy("GET", place, asker).text("state") == "open")
        let short = try Waiting(fixture, "\(place)?wait=1s", asker, "GET")
        #expect(try short.object()["state"] as? String == "open")
        let waiting = try Waiting(fixture, "\(place)?wait=10m", asker, "GET")
        let withdrawn = try fixture.ntfy("DELETE", place, asker)
        #expect(withdrawn.status == 200 && withdrawn.text("state") == "withdrawn")
        #expect(try waiting.object()["state"] as? String == "withdrawn")
        let late = try Waiting(fixture, "\(place)?wait=10m", asker, "GET")
        #expect(late.answer.text("state") == "withdrawn")
    }

    @Test("A token answers if it has the right, with the number of the question")
    func token() throws {
        let answerer = try fixture.token(.answer)
        let id = try ask().text("id")
        let shown = try fixture.ntfy("GET", "/v1/questions/\(id)", answerer)
        #expect(shown.text("message") == "Deploy?")
        #expect(try shown.object()["answers"] as? [String] == ["yes", "no"])
        let number = shown.text("number")
        #expect(!number.isEmpty)
        func answer(_ word: String, _ number: String, _ bearer: String?) throws -> HTTPAnswer {
            try fixture.ntfy(
                "POST", "/v1/questions/\(id)/answer", bearer,
                #"{"answer":"\#(word)","number":"\#(number)"}"#)
        }
        #expect(try answer("yes", "1", answerer).refusal == 40991)
        #expect(try answer("maybe", number, answerer).refusal == 40092)
        #expect(try answer("yes", number, asker).refusal == 40301)
        #expect(try answer("yes", number, nil).refusal == 40301)
        #expect(try answer("yes", number, answerer).text("answer") == "yes")
        let late = try answer("no", number, bearer)
        #expect(late.status == 200 && late.text("answer") == "yes")
    }

    @Test("The credential that asks never answers, whatever its rights")
    func own() throws {
        for own in [bearer, try fixture.token([.read, .write, .answer])] {
            let id = try ask("ask=yes", own).text("id")
            #expect(try fixture.ntfy("GET", "/v1/questions/\(id)", own).text("number").isEmpty)
            let other = try fixture.ntfy("GET", "/v1/questions/\(id)", try fixture.token(.answer))
            let body = #"{"answer":"yes","number":"\#(other.text("number"))"}"#
            let answer = try fixture.ntfy("POST", "/v1/questions/\(id)/answer", own, body)
            #expect(answer.refusal == 40301)
        }
    }

    @Test(
        "Who may ask, see, answer and withdraw",
        arguments: [
            (TopicRights.read, [403, 200, 403, 403]), (.write, [202, 404, 404, 404]),
            (.usual, [202, 200, 403, 403]), (.answer, [403, 200, 200, 403]),
        ])
    func rights(rights: TopicRights, expected: [Int]) throws {
        let token = try fixture.token(rights)
        let path = "/v1/questions/" + (try ask()).text("id")
        let number = try fixture.ntfy("GET", path, bearer).text("number")
        let body = #"{"answer":"yes","number":"\#(number)"}"#
        let withdrawal = try fixture.ntfy("DELETE", path, token).status
        let statuses = [
            try ask("ask=a", token).status, try fixture.ntfy("GET", path, token).status,
            try fixture.ntfy("POST", path + "/answer", token, body).status, withdrawal,
        ]
        #expect(statuses == expected)
    }

    @Test("Strangers, other owners and other patterns have no part in it")
    func strangers() throws {
        let path = "/v1/questions/" + (try ask()).text("id")
        let other = try fixture.addCredential(owner: "other")
        let elsewhere = try fixture.token([.read, .write, .answer], "else*")
        for bearer in [other, elsewhere] {
            #expect(try fixture.ntfy("GET", path, bearer).refusal == 40491)
            #expect(try fixture.ntfy("DELETE", path, bearer).refusal == 40491)
        }
        #expect(try fixture.ntfy("GET", path).refusal == 40301)
        #expect(try fixture.ntfy("GET", path, "wrong").refusal == 40101)
        #expect(try fixture.ntfy("GET", "/v1/questions/AAAAAAAAAAAA", bearer).refusal == 40491)
        let open = try PushFixture.ofThisMachine()
        let local = try open.request(
            "POST", "/t?ask=yes", [("Host", "localhost")], body: Array("x".utf8))
        #expect(local.refusal == 40391)
        #expect(try open.history("t").isEmpty)
    }

    @Test("The same key is the same question, for two who ask at once and after a restart")
    func key() throws {
        let first = try ask("ask=yes&sid=k")
        #expect(try ask("ask=yes&sid=k").text("id") == first.text("id"))
        #expect(try ask("ask=no&sid=k").refusal == 40992)
        #expect(try ask("ask=yes&sid=k", bearer).text("id") != first.text("id"))
        try fixture.restart()
        let waiting = try Waiting(fixture, "/t?ask=yes&sid=k&wait=10m", asker)
        #expect(waiting.answer["location"]?.hasSuffix(first.text("id")) == true)
        _ = try fixture.ntfy("DELETE", "/v1/questions/" + first.text("id"), bearer)
        #expect(try waiting.object()["state"] as? String == "withdrawn")
        #expect(try fixture.history("t").map(\.content.text).first == "Deploy?")
    }

    @Test("Many answers at once: one result, the same for all")
    func race() throws {
        let screens = [try screen(), try screen()]
        for _ in 0..<20 {
            let waiting = try Waiting(fixture, "/t?ask=a,b,c&wait=1m", asker)
            for screen in screens {
                while screen.texts.isEmpty { try screen.next() }
            }
            let id = try #require(waiting.answer["location"]).suffix(12)
            let number = try fixture.ntfy("GET", "/v1/questions/\(id)", bearer).text("number")
            let sockets = try ["a", "b", "c"].map { word in
                let socket = try ByteSocket(port: fixture.port)
                socket.send(
                    PushFixture.bytes(
                        "POST", "/v1/questions/\(id)/answer", PushFixture.authorization(bearer),
                        body: Array(#"{"answer":"\#(word)","number":"\#(number)"}"#.utf8)))
                return socket
            }
            let told = try sockets.map { try HTTPAnswer(from: $0).object() as NSDictionary }
            #expect(Set(told).count == 1)
            #expect(try waiting.object() as NSDictionary == told[0])
            for screen in screens {
                try screen.settle()
                #expect(screen.texts.isEmpty)
            }
        }
    }

    @Test("An open question cannot be changed by its address, and there is a limit of them")
    func limits() throws {
        let id = try ask().text("id")
        #expect(try fixture.ntfy("PUT", "/t/\(id)", bearer, "other").refusal == 40993)
        #expect(try fixture.ntfy("DELETE", "/t/\(id)", bearer).refusal == 40993)
        for _ in 1..<50 { #expect(try ask().status == 202) }
        #expect(try ask().refusal == 42991)
        for _ in 0..<50 { #expect(try ask("ask=yes", bearer).status == 202) }
        #expect(try ask("ask=yes", try fixture.token(.write)).refusal == 42991)
        #expect(try fixture.ntfy("POST", "/t", bearer, "still there").status == 200)
    }

    @Test("Streams get a view; who may answer gets requests that need nothing else, one each time")
    func streams() throws {
        let reader = try StreamReader(fixture, "/t/json", try fixture.token(.read))
        let answerer = try fixture.token([.read, .answer])
        let other = try StreamReader(fixture, "/t/json", answerer)
        for stream in [reader, other] { #expect(try stream.object()["event"] as? String == "open") }
        let id = try ask().text("id")
        func actions(_ stream: StreamReader) throws -> [[String: Any]] {
            try stream.object()["actions"] as? [[String: Any]] ?? []
        }
        let seen = try actions(reader)
        #expect(seen.compactMap { $0["action"] as? String } == ["view"])
        #expect(seen[0]["url"] as? String == "https://push.example/v1/questions/\(id)")
        let offered = try actions(other)
        #expect(offered.compactMap { $0["action"] as? String } == ["http", "http"])
        #expect(offered.compactMap { $0["label"] as? String } == ["yes", "no"])
        let url = try #require(offered[1]["url"] as? String)
        #expect(url == "https://push.example/v1/questions/\(id)/answer")
        let bodies = offered.compactMap { $0["body"] as? String }
        // That of another question, and a forged one, are worth nothing.
        let second = try ask().text("id")
        let path = "/v1/questions/\(second)/answer"
        #expect(try fixture.ntfy("POST", path, nil, bodies[0]).refusal == 40491)
        let forged = bodies[1].replacingOccurrences(of: "\"}", with: "A\"}")
        #expect(try fixture.ntfy("POST", url, nil, forged).status != 200)
        let answered = try fixture.ntfy("POST", url, nil, bodies[1])
        #expect(answered.status == 200 && answered.text("answer") == "no")
        #expect(try fixture.ntfy("POST", url, nil, bodies[0]).text("answer") == "no")
        _ = try actions(reader)
        let update = try reader.object()
        #expect(update["sequence_id"] as? String == id && update["actions"] == nil)
        #expect((update["message"] as? String)?.hasPrefix("Deploy?\n→ no (token ") == true)
    }

    @Test("What a stream offers ends with its reader's right")
    func lostRight() throws {
        let answerer = try fixture.token([.read, .answer])
        let stream = try StreamReader(fixture, "/t/json", answerer)
        _ = try stream.object()
        _ = try ask()
        let offered = try stream.object()["actions"] as? [[String: Any]] ?? []
        let (url, body) = (offered[0]["url"] as? String ?? "", offered[0]["body"] as? String)
        fixture.removeCredential()
        #expect(try fixture.ntfy("POST", url, nil, body).refusal == 40301)
    }

    @Test("A request that waits ends with the right of its caller, and with its topic")
    func ends() throws {
        let waiting = try Waiting(fixture, "/t?ask=yes&wait=10m", asker)
        let other = try Waiting(fixture, "/t?ask=yes&wait=10m", bearer)
        let device = try #require(try fixture.device(ofTopic: "t"))
        #expect(fixture.submit(.registration(.end(device: device))) == .done)
        #expect(try waiting.object()["state"] as? String == "withdrawn")
        #expect(try other.object()["state"] as? String == "withdrawn")
        try fixture.addTopic("u")
        let token = try fixture.token(.write)
        let last = try Waiting(fixture, "/u?ask=yes&wait=10m", token)
        fixture.removeCredential()
        let rest = last.reader.lines()
        #expect(rest.allSatisfy { $0.isEmpty })
    }
}

/// A request that is answered when a question ends.
private struct Waiting {
    let reader: StreamReader
    var answer: HTTPAnswer { reader.answer }

    init(
        _ fixture: PushFixture, _ path: String, _ bearer: String, _ method: String = "POST"
    ) throws {
        let socket = try ByteSocket(port: fixture.port)
        socket.send(
            PushFixture.bytes(
                method, path, PushFixture.authorization(bearer),
                body: method == "GET" ? nil : Array("Deploy?".utf8)))
        reader = StreamReader(socket)
    }

    /// The object at the end, behind lines that only say that the connection lives.
    func object() throws -> [String: Any] {
        while true {
            let line = try #require(reader.line())
            guard !line.isEmpty else { continue }
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }
}

extension PushFixture {
    /// The text of a new token.
    func token(_ rights: TopicRights, _ pattern: String = "*") throws -> String {
        var random = RandomSupply()
        let terms = TokenTerms(.access, try #require(TopicPattern(pattern)), rights)
        let made = try MadeToken(
            TokenGrant(terms), named: "token \(store.index.counters.credential + 1)",
            of: "tester", at: service, &random)
        #expect(submit(.addCredential(made.credential)) == .done)
        return made.token.text
    }
}
