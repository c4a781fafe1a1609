import Foundation
import TestSupport
import Testing

/// Prints figures and checks nothing: `BELLWIRE_MEASURE=1 swift test --filter` one of them, because
/// the next would use memory that was freed.
@Suite(
    "The memory of readers who wait",
    .enabled(if: ProcessInfo.processInfo.environment["BELLWIRE_MEASURE"] != nil), .serialized)
struct StreamMeasurementTests {
    private static let count = 4_000

    @Test("Streams of one topic")
    func ofOneTopic() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try measure("stream of one topic") { _ in try fixture.follow("/news/json", bearer) }
    }

    @Test("Streams that follow different topics")
    func ofManyTopics() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let names = (0..<100).map { "a-rather-long-name-\($0)" }
        for name in names { try fixture.publish("made", to: name, bearer) }
        // Each has a list of its own, although it names only two topics.
        try measure("stream of a list of its own") { number in
            let list = "\(names[number % 100]),\(names[number / 100 % 100])"
            return try fixture.follow("/\(list)/json", bearer)
        }
    }

    @Test("Streams by WebSocket")
    func webSockets() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        try measure("stream by WebSocket") { _ in
            let socket = try fixture.socket("/news/ws", bearer)
            _ = try socket.next()
            return socket
        }
    }

    @Test("User agents, with which they are compared")
    func userAgents() throws {
        let fixture = try PushFixture { plan in
            plan.settings = { $0.strangersPerNetwork = Self.count * 2 }
        }
        try measure("user agent") { _ in
            let agent = try fixture.userAgent()
            _ = try agent.register()
            return agent
        }
    }

    private func measure<Client>(_ what: String, _ open: (Int) throws -> Client) throws {
        var clients = try (0..<Self.count / 10).map(open)
        let before = try OwnMemory.resident()
        for number in 0..<Self.count { clients.append(try open(number + Self.count / 10)) }
        let growth = try OwnMemory.resident() - before
        print("\(what): \(growth / Self.count) bytes, with its client's socket")
    }
}
