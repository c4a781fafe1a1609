import Testing

@testable import HTTP

@Suite("The URL of a WebSocket")
struct ClientURLTests {
    @Test(
        "A URL has a host, a port, a target and a Host field",
        arguments: [
            ("wss://push.example", "push.example", 443, "/", "push.example"),
            ("ws://push.example:443/a", "push.example", 443, "/a", "push.example:443"),
            ("WSS://[::1]:8443?x=y", "::1", 8443, "/?x=y", "[::1]:8443"),
            ("wss://127.0.0.1:443/u/t?q", "127.0.0.1", 443, "/u/t?q", "127.0.0.1"),
        ] as [(String, String, UInt16, String, String)])
    func parts(
        text: String, host: String, port: UInt16, target: String, authority: String
    ) throws {
        let url = try #require(ClientURL(webSocket: text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect("\(url)" == "<ClientURL>")
    }

    @Test(
        "Anything else is rejected",
        arguments: [
            "http://push.example", "wss:push.example", "wss://", "wss://u@push.example",
            "wss://push.example/#f", "wss://push.example/a b", "wss://push.example:0",
            "wss://push.example:70000", "wss://[::g]/", "wss://push.example/\r\nX: y",
        ])
    func others(text: String) {
        #expect(ClientURL(webSocket: text) == nil)
    }
}
