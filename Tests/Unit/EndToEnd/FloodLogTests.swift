import Foundation
import TestSupport
import Testing

@Suite("Floods in the log")
struct FloodLogTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    /// A TLS greeting in thousands of records; the server closes the connection.
    private func flood(_ server: ServerProcess, from peer: String) {
        let socket = ServeListenerTests.connect(to: server.port)
        defer { close(socket) }
        let version = peer.contains(":") ? 6 : 4
        let to = version == 6 ? "::1" : "127.0.0.1"
        let header = Array("PROXY TCP\(version) \(peer) \(to) 1234 443\r\n".utf8)
        let greeting: [UInt8] = [1, 1, 0x86, 0xA0] + [UInt8](repeating: 3, count: 10_000)
        let bytes = header + greeting.flatMap { [22, 3, 1, 0, 1, $0] }
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var room = [UInt8](repeating: 0, count: 4_096)
        while recv(socket, &room, room.count, 0) > 0 {}
    }

    @Test("A peer (an address or a /64) is logged once a minute, all peers ten times")
    func peers() throws {
        let server = try fixture.start(["--listen", "127.0.0.1:0 proxy-protocol"])
        let peers = [
            "192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2",
            "2001:db8:0:1::1", "2001:db8::1",
        ]
        for peer in peers { flood(server, from: peer) }
        for number in 1...20 { flood(server, from: "198.51.100.\(number)") }
        #expect(server.end() == 0)
        let lines = server.errors.split(separator: "\n").filter { $0.contains("event=flood") }
        let clients = lines.map { $0.components(separatedBy: "client=").last ?? "" }
        #expect(
            clients == ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"]
                + (1...6).map { "198.51.100.\($0)" })
        #expect(lines.allSatisfy { $0.contains("kind=handshake-records") })
    }
}
