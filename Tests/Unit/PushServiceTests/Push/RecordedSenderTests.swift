import Base
import Foundation
import TestSupport
import Testing

@testable import PushService

@Suite("Recorded senders over HTTP")
struct RecordedSenderTests {
    private func fixture(_ recorded: RecordedPush) throws -> PushFixture {
        let path = try #require(recorded.endpoint.range(of: "/push/"))
        let origin = String(recorded.endpoint[..<path.lowerBound])
        let time = recorded.request.at
        return try PushFixture { plan in
            plan.baseURL = origin
            plan.aliases = ["https://push.example"]
            plan.settings = { $0.now = { time } }
        }
    }

    private func send(
        _ recorded: RecordedPush, to endpoint: String, _ fixture: PushFixture
    ) throws -> HTTPAnswer {
        let fields = recorded.request.headers.map { ($0[0], $0[1]) }.filter {
            !["content-length", "transfer-encoding", "connection"].contains($0.0.lowercased())
        }
        let method = recorded.kind == "simplepush" ? "PUT" : "POST"
        return try fixture.request(
            method, endpoint, fields, body: bytes(recorded.request.body))
    }

    @Test(
        "Each is accepted and delivered unchanged, except the mislabelled one",
        arguments: try RecordedPush.all("webpush"))
    func open(_ recorded: RecordedPush) throws {
        let fixture = try fixture(recorded)
        let agent = try fixture.userAgent()
        let answer = try send(recorded, to: try agent.register(), fixture)
        guard !recorded.id.hasPrefix("pywebpush-1.0.4-aes128gcm/") else {
            #expect(answer.code == "400/110")
            return
        }
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer["ttl"] == recorded.header("ttl").map { String(decoding: $0, as: UTF8.self) })
        let members = try agent.members()
        let data = members["data"] as? String
        #expect((data.flatMap { Base64URL.decode($0) } ?? []) == bytes(recorded.request.body))
        let headers = members["headers"] as? [String: String]
        #expect((headers == nil) == (data == nil))
        if let headers {
            #expect(headers["encoding"] == recorded.encoding)
            #expect(headers.values.allSatisfy { !$0.contains("\"") && !$0.hasSuffix("=") })
        }
    }

    @Test(
        "A signed push is accepted at an endpoint with its key, but not with another key",
        arguments: try RecordedPush.all("webpush").filter { $0.senderKey != nil })
    func bound(_ recorded: RecordedPush) throws {
        guard !recorded.id.hasPrefix("pywebpush-1.0.4-aes128gcm/"),
            recorded.header("authorization") != nil
        else { return }
        let fixture = try fixture(recorded)
        let agent = try fixture.userAgent()
        let key: String = try #require(recorded.senderKey)
        let own = try send(
            recorded, to: try agent.register(key: key), fixture)
        #expect(own.status == 201, "\(own.text)")
        _ = try agent.notification()
        let other = try send(
            recorded, to: try agent.register(key: try Sender().publicKey), fixture)
        #expect(other.code == "401/109")
    }

    @Test(
        "Signal endpoints and channels accept simple pushes, unless they have a key",
        arguments: try RecordedPush.all("simplepush"))
    func simple(_ recorded: RecordedPush) throws {
        let fixture = try fixture(recorded)
        let agent = try fixture.userAgent()
        let answer = try send(recorded, to: try agent.register(), fixture)
        #expect(answer.status == 201)
        #expect(Array(try agent.notification().body.utf8) == bytes(recorded.request.body))
        let signal = try RegisteredApp(fixture, type: 4)
        let accepted = try send(recorded, to: signal.endpoint, fixture)
        #expect(accepted.status == 201)
        #expect(accepted["ttl"] == "2419200")
        let bound = try agent.register(key: try Sender().publicKey)
        #expect(try send(recorded, to: bound, fixture).code == "401/109")
    }
}
