import Foundation
import Testing

@testable import HTTP

@Suite("Memory that a server holds for its connections")
struct ServerMemoryTests {
    private static func post(_ path: String, _ count: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
            + String(repeating: "x", count: count)
    }

    @Test("A body that finds no room is answered with 503, and room comes back")
    func budget() throws {
        var limits = HTTPService.Limits()
        limits.heldBytes = 10_000
        let fixture = try ServerFixture(limits: limits)
        let holder = try RawClient(port: fixture.port)
        holder.send(Self.post("/never", 6_000))
        let other = try RawClient(port: fixture.port)
        // The server may not have read the first body yet.
        var answer = ""
        for _ in 0..<200 where !answer.hasPrefix("HTTP/1.1 503") {
            let client = try RawClient(port: fixture.port)
            client.send(Self.post("/x", 6_000))
            answer = client.read(until: "xxx")
        }
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("overloaded"))
        for _ in 0..<20 {
            other.send(Self.post("/x", 3_000))
            #expect(other.read(until: String(repeating: "x", count: 3_000)).contains(" 200 OK"))
        }
    }

    @Test("One connection cannot use up the memory of all")
    func oneConnection() throws {
        var limits = HTTPService.Limits()
        limits.heldBytesPerConnection = 5_000
        let fixture = try ServerFixture(limits: limits)
        let client = try RawClient(port: fixture.port)
        client.send(Self.post("/x", 4_000) + Self.post("/y", 6_000))
        let answers = client.read()
        #expect(answers.contains("POST /x ") && answers.contains("HTTP/1.1 503 "))
    }
}
