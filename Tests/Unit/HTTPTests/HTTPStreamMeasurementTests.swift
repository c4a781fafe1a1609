import Foundation
import TestSupport
import Testing

@testable import HTTP

/// Prints figures and checks nothing: `BELLWIRE_MEASURE=1 swift test --filter` one of them, because
/// the next would use memory that was freed.
@Suite(
    "The memory of those who wait",
    .enabled(if: ProcessInfo.processInfo.environment["BELLWIRE_MEASURE"] != nil), .serialized)
struct HTTPStreamMeasurementTests {
    private static let count = 5_000

    @Test("Streams by HTTP/1.1, with their clients' sockets")
    func streams() throws {
        let fixture = try StreamFixture()
        try measure("stream") {
            let reader = try fixture.reader()
            _ = reader.read(until: "/a\n\r\n")
            return reader
        }
    }

    @Test("WebSockets in the same way")
    func webSockets() throws {
        let fixture = try WebSocketFixture()
        try measure("WebSocket") { try fixture.client() }
    }

    @Test("Streams by HTTP/2, a hundred on a connection")
    func streams2() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        try measure("connection with 100 streams", 100) {
            let reader = try fixture.reader2()
            let streams = (0..<100).map { reader.get("/\($0)") }
            _ = reader.read("/99\n", of: streams[99])
            return reader
        }
    }

    private func measure<Client>(
        _ what: String, _ count: Int = count, _ open: () throws -> Client
    ) throws {
        var clients = try (0..<count / 10).map { _ in try open() }
        let before = try OwnMemory.resident()
        for _ in 0..<count { clients.append(try open()) }
        let growth = try OwnMemory.resident() - before
        print("\(what): \(growth / count) bytes")
    }
}
