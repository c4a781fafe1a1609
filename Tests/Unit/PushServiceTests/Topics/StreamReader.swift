import Base
import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import Topics

@testable import Mailbox
@testable import PushService

/// Reads a stream by HTTP/1.1, as far as it has come.
final class StreamReader {
    let socket: ByteSocket
    let answer: HTTPAnswer
    private var rest: [UInt8] = []
    private var isOver = false

    /// The request was sent.
    init(_ socket: ByteSocket) {
        self.socket = socket
        answer = HTTPAnswer(from: socket)
    }

    convenience init(_ fixture: PushFixture, _ path: String, _ bearer: String?) throws {
        let socket = try ByteSocket(port: fixture.port)
        socket.send(
            PushFixture.bytes("GET", path, PushFixture.authorization(bearer), body: nil))
        self.init(socket)
    }

    /// The next line; nil at the end of the body.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard !isOver, let chunk = chunk() else { return nil }
            rest += chunk
        }
    }

    private func chunk() -> [UInt8]? {
        var size: [UInt8] = []
        while size.last != 0x0A {
            let byte = socket.bytes(1)
            guard !byte.isEmpty else { return nil }
            size += byte
        }
        let count = Int(String(decoding: size.dropLast(2), as: UTF8.self), radix: 16) ?? 0
        isOver = count == 0
        let bytes = socket.bytes(count)
        _ = socket.bytes(2)
        return isOver ? nil : bytes
    }

    func object() throws -> [String: Any] {
        let text = try #require(self.line())
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    /// Texts of the next messages. In between, a stream may say that it lives.
    func texts(_ count: Int) throws -> [String] {
        var texts: [String] = []
        while texts.count < count {
            let object = try object()
            guard object["event"] as? String != "keepalive" else { continue }
            texts.append(object["message"] as? String ?? "")
        }
        return texts
    }

    /// Everything up to the end of the body, a line each.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }
}

extension PushFixture {
    static func authorization(_ bearer: String?) -> Fields {
        bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    func stream(_ path: String, _ bearer: String?) throws -> StreamReader {
        try StreamReader(self, path, bearer)
    }

    func socket(_ path: String, _ bearer: String?) throws -> UserAgent {
        try UserAgent(self, path: path, Self.authorization(bearer))
    }

    /// A stream that has begun.
    func follow(_ path: String, _ bearer: String?) throws -> StreamReader {
        let reader = try stream(path, bearer)
        #expect(try reader.object()["event"] as? String == "open")
        return reader
    }

    func poll(_ topics: String, _ bearer: String) throws -> [String] {
        try poll(topics, "", bearer)
    }

    /// The texts that a poll has.
    func poll(_ topics: String, _ query: String, _ bearer: String) throws -> [String] {
        let reader = try stream("/\(topics)/json?poll=1\(query)", bearer)
        #expect(reader.answer.status == 200)
        return try reader.lines().map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return (object as? [String: Any])?["message"] as? String ?? ""
        }
    }

    /// Returns the id.
    @discardableResult
    func publish(
        _ text: String, to topic: String, _ bearer: String, _ fields: Fields = []
    ) throws -> String {
        let answer = try request(
            "PUT", "/\(topic)", Self.authorization(bearer) + fields, body: Array(text.utf8))
        #expect(answer.status == 200, "\(answer.text)")
        let object = try JSONSerialization.jsonObject(with: Data(answer.body))
        return try #require((object as? [String: Any])?["id"] as? String)
    }

    /// A token of the owner, and the row of its credential.
    func addToken(
        _ rights: TopicRights, _ pattern: String = "*", form: TopicToken.Form = .access,
        end: Int64? = nil, owner: String = "tester"
    ) throws -> (text: String, row: UInt32) {
        var random = RandomSupply()
        let token = try TopicToken(form, &random)
        let row = store.index.nextCredential()
        let pattern = try #require(TopicPattern(pattern))
        let credential = DeviceCredential(
            row: row, secret: try token.digest, name: "token \(row)", owner: owner, created: 1,
            token: TokenGrant(TokenTerms(form, pattern, rights, end: end)))
        let sink = OneAnswer()
        store.submit(.addCredential(credential), ticket: 0, to: sink)
        sink.wait()
        return (token.text, row)
    }

    func removeToken(_ row: UInt32) {
        let sink = OneAnswer()
        store.submit(.removeCredential(row), ticket: 0, to: sink)
        sink.wait()
    }

    /// Stores a message with this id, as another node does.
    func post(_ text: String, as id: TopicMessageID, to topic: String) throws {
        var namer = try TopicNamer(key: store.endpointKey)
        let naming = TopicNaming.own(try #require(TopicName(topic)), owner: "tester")
        let device = store.index.topics.device(named: try namer.digest(of: naming))
        var content = TopicContent()
        content.text = text
        let message = TopicMessage(id: id, time: 1, content)
        let address = Address(subscription: 0, device: try #require(device))
        let sink = OneAnswer()
        store.submit(
            .registration(.post(TopicPost(message, keptFor: 3_600), address)), ticket: 0, to: sink)
        sink.wait()
    }
}
