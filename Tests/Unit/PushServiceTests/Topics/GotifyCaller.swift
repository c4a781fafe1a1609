import Base
import Crypto
import Foundation
import TestSupport
import Testing
import Topics

@testable import Mailbox
@testable import PushService

/// Somebody who sends requests to Gotify's paths of a service.
struct GotifyCaller {
    let fixture: PushFixture
    let fields: PushFixture.Fields

    /// The owner, with the secret of a device as the password.
    init(_ fixture: PushFixture, owner: String = "tester") throws {
        self.fixture = fixture
        let pair = Array("me:\(try fixture.addCredential(owner: owner))".utf8)
        fields = [("Authorization", "Basic \(Base64.text(pair.span))")]
    }

    init(_ fixture: PushFixture, key: String?) {
        self.fixture = fixture
        fields = key.map { [("X-Gotify-Key", $0)] } ?? []
    }

    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String? = nil,
        type: String? = "application/json", expecting status: Int? = 200,
        from place: SourceLocation = #_sourceLocation
    ) throws -> GotifyReply {
        let more = body == nil ? [] : type.map { [("Content-Type", $0)] } ?? []
        let answer = try fixture.request(
            method, path, fields + more, body: body.map { Array($0.utf8) })
        if let status {
            #expect(answer.status == status, "\(answer.text.prefix(300))", sourceLocation: place)
        }
        return GotifyReply(answer)
    }

    /// An application with a sender for it.
    func makeApplication(_ name: String) throws -> GotifyApplicationOfTest {
        let made = try ask("POST", "/application", #"{"name":"\#(name)"}"#)
        return GotifyApplicationOfTest(
            id: made.number("id"), sender: GotifyCaller(fixture, key: made.text("token")))
    }

    /// A program that reads.
    func makeClient(_ name: String = "phone") throws -> GotifyCaller {
        let made = try ask("POST", "/client", #"{"name":"\#(name)"}"#)
        return GotifyCaller(fixture, key: made.text("token"))
    }

    /// Publishes a text, and returns its id.
    @discardableResult
    func publish(_ text: String) throws -> Int {
        try ask("POST", "/message", #"{"message":"\#(text)"}"#).number("id")
    }

    /// The texts of a list of messages, newest first.
    func texts(_ path: String = "/message") throws -> [String] {
        try ask("GET", path).messages.map { $0["message"] as? String ?? "" }
    }

    /// A token with these rights, as its owner makes it elsewhere.
    static func token(
        _ form: TopicToken.Form, _ pattern: String, _ rights: TopicRights, of fixture: PushFixture,
        end: Int64? = nil
    ) throws -> GotifyCaller {
        var random = RandomSupply()
        let token = try TopicToken(form, &random)
        let pattern = try #require(TopicPattern(pattern))
        let row = fixture.store.index.nextCredential()
        let credential = DeviceCredential(
            row: row, secret: try token.digest, name: "token \(row)", owner: "tester", created: 1,
            token: TokenGrant(TokenTerms(form, pattern, rights, end: end)))
        let sink = OneAnswer()
        fixture.store.submit(.addCredential(credential), ticket: 0, to: sink)
        sink.wait()
        return GotifyCaller(fixture, key: token.text)
    }
}

struct GotifyApplicationOfTest {
    let id: Int
    let sender: GotifyCaller
}

/// The JSON of an answer.
struct GotifyReply {
    let answer: HTTPAnswer
    private let json: Any?

    init(_ answer: HTTPAnswer) {
        self.answer = answer
        json = try? JSONSerialization.jsonObject(
            with: Data(answer.body), options: .fragmentsAllowed)
    }

    var members: [String: Any] { json as? [String: Any] ?? [:] }
    var list: [[String: Any]] { json as? [[String: Any]] ?? [] }
    var messages: [[String: Any]] { members["messages"] as? [[String: Any]] ?? [] }
    var paging: [String: Any] { members["paging"] as? [String: Any] ?? [:] }

    func text(_ name: String) -> String { members[name] as? String ?? "" }
    func number(_ name: String) -> Int { members[name] as? Int ?? -1 }

    /// Each failure says the same in status, JSON and type, and asks nobody for a password.
    func expectRefusal(_ status: Int, from place: SourceLocation = #_sourceLocation) {
        #expect(answer.status == status, "\(answer.text.prefix(300))", sourceLocation: place)
        #expect(number("errorCode") == status, sourceLocation: place)
        #expect(!text("error").isEmpty, sourceLocation: place)
        #expect(!text("errorDescription").isEmpty, sourceLocation: place)
        #expect(answer["content-type"] == "application/json", sourceLocation: place)
        #expect(answer["www-authenticate"] == nil, sourceLocation: place)
        #expect(answer["access-control-allow-origin"] == "*", sourceLocation: place)
    }
}
