import Foundation
import System
import TLS
import TestSupport
import Testing

@testable import HTTP

@Suite("A client behind a proxy")
struct HTTPProxyTests {
    @Test("It asks for a tunnel with its credentials, and speaks TLS with the server through it")
    func tunnel() throws {
        let certificate = try temporaryCertificate()
        let server = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let listener = try RawListener()
        let trust = Trust.authorities(try TextFile.read(certificate.authorityPath))
        let client = try ClientFixture("wss://localhost:\(server.port)/", trust: trust) {
            $0.proxy = try? HTTPProxy("http://me:p%40ss@127.0.0.1:\(listener.port)")
        }
        let proxied = try listener.accept()
        let request = proxied.head()
        #expect(request.hasPrefix("CONNECT localhost:\(server.port) HTTP/1.1\r\n"))
        #expect(request.contains("\r\nHost: localhost:\(server.port)\r\n"))
        // "me:p@ss"
        #expect(request.contains("\r\nProxy-Authorization: Basic bWU6cEBzcw==\r\n"))
        proxied.send("HTTP/1.1 200 Connection established\r\n\r\n")
        let onward = try RawSocket(port: server.port)
        proxied.relay(to: onward)
        #expect(client.events.next() == .opened("echo"))
        client.onLoop { $0.connection?.close() }
        #expect(client.events.next() == .closed(.closed(WebSocketClose(code: .normal))))
    }

    @Test("A certificate for another name is not taken, whoever connects us")
    func misnamed() throws {
        let certificate = try temporaryCertificate()
        let server = try WebSocketFixture(certificates: try CertificateStore(certificate.files))
        let listener = try RawListener()
        let trust = Trust.authorities(try TextFile.read(certificate.authorityPath))
        let client = try ClientFixture("wss://push.example/", trust: trust) {
            $0.proxy = try? HTTPProxy("127.0.0.1:\(listener.port)")
        }
        let proxied = try listener.accept()
        #expect(proxied.head().hasPrefix("CONNECT push.example:443 HTTP/1.1\r\n"))
        proxied.send("HTTP/1.0 200 OK\r\n\r\n")
        let onward = try RawSocket(port: server.port)
        proxied.relay(to: onward)
        guard case .failed(.untrusted) = client.events.next() else {
            Issue.record("a foreign name was trusted")
            return
        }
    }

    @Test(
        "A proxy that refuses, or speaks nonsense, is told apart from the server",
        arguments: [
            ("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n", .refusedByProxy(status: 407)),
            ("HTTP/1.0 502 Bad Gateway\r\n\r\nbody", .refusedByProxy(status: 502)),
            ("HTTP/1.1 200 OK\r\n\r\nearly", .unreadableAnswer(.proxy)),
            ("SOCKS\n", .unreadableAnswer(.proxy)),
        ] as [(String, WebSocketClientFailure)])
    func refusal(answer: String, failure: WebSocketClientFailure) throws {
        let listener = try RawListener()
        let client = try ClientFixture("wss://push.example/") {
            $0.proxy = try? HTTPProxy("127.0.0.1:\(listener.port)")
        }
        let proxied = try listener.accept()
        _ = proxied.head()
        proxied.send(answer)
        #expect(client.events.next() == .failed(failure))
    }

    @Test(
        "The proxy's URL is read as curl reads it",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128, nil),
            ("proxy.example", "proxy.example", 1080, nil),
            ("HTTP://[2001:db8::1]:8080/", "2001:db8::1", 8080, nil),
            ("http://user@proxy.example:1", "proxy.example", 1, "Basic dXNlcjo="),
        ] as [(String, String, UInt16, String?)])
    func url(text: String, host: String, port: UInt16, authorization: String?) throws {
        let proxy = try HTTPProxy(text)
        #expect(proxy.host == host)
        #expect(proxy.port == port)
        #expect(proxy.authorization == authorization)
        #expect("\(proxy)" == "<HTTPProxy>")
    }

    @Test(
        "Other proxies are not taken for one",
        arguments: ["socks5://proxy", "https://proxy", "http://", "http://a b", "http://p:99999"])
    func badURL(text: String) {
        #expect(throws: HTTPProxy.Refusal.self) { try HTTPProxy(text) }
    }

    @Test(
        "NO_PROXY names domains, addresses and networks",
        arguments: [
            ("push.example", "push.example", true), ("a.push.example", "push.example", true),
            ("a.push.example", ".push.example", true), ("A.PUSH.example.", "push.EXAMPLE", true),
            ("notpush.example", "push.example", false), ("push.example", "", false),
            ("push.example", "x, push.example:443", true), ("push.example", "*", true),
            ("push.example", "push.example:80", false), ("192.0.2.7", "192.0.2.0/24", true),
            ("192.0.3.7", "192.0.2.0/24", false), ("192.0.2.7", "192.0.2.7", true),
            ("2001:db8::7", "2001:db8::/32", true), ("2001:db9::7", "2001:db8::/32", false),
            ("2001:db8::7", "[2001:db8::7]", true), ("localhost", "", true),
            ("127.3.4.5", "", true), ("::1", "", true), ("192.0.2.7", "0.0.0.0/0", true),
        ])
    func exceptions(host: String, list: String, isDirect: Bool) throws {
        let literal = host.contains(":") ? "[\(host)]" : host
        let url = try #require(WebSocketURL("wss://\(literal)/"))
        let proxy = try HTTPProxy.forURL(url, proxy: "http://proxy", exceptions: list)
        #expect((proxy == nil) == isDirect)
    }
}

@Suite("The URL of a WebSocket")
struct WebSocketURLTests {
    @Test(
        "Host, port, target and what Host says",
        arguments: [
            ("wss://push.example", "push.example", 443, "/", "push.example"),
            ("ws://push.example:443/a", "push.example", 443, "/a", "push.example:443"),
            ("WSS://[::1]:8443?x=y", "::1", 8443, "/?x=y", "[::1]:8443"),
            ("wss://127.0.0.1:443/u/t?q", "127.0.0.1", 443, "/u/t?q", "127.0.0.1"),
        ] as [(String, String, UInt16, String, String)])
    func parts(
        text: String, host: String, port: UInt16, target: String, authority: String
    ) throws {
        let url = try #require(WebSocketURL(text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect("\(url)" == "<WebSocketURL>")
    }

    @Test(
        "Nothing else is one",
        arguments: [
            "http://push.example", "wss:push.example", "wss://", "wss://u@push.example",
            "wss://push.example/#f", "wss://push.example/a b", "wss://push.example:0",
            "wss://push.example:70000", "wss://[::g]/", "wss://push.example/\r\nX: y",
        ])
    func others(text: String) {
        #expect(WebSocketURL(text) == nil)
    }
}

extension RawSocket {
    /// Passes bytes both ways on threads of their own until either side ends.
    fileprivate func relay(to other: RawSocket) {
        for (from, to) in [(descriptor, other.descriptor), (other.descriptor, descriptor)] {
            let (from, to) = (dup(from), dup(to))
            Thread {
                var room = [UInt8](repeating: 0, count: 65_536)
                while case let count = recv(from, &room, room.count, 0), count > 0 {
                    guard Foundation.send(to, room, count, Int32(MSG_NOSIGNAL)) == count else {
                        break
                    }
                }
                shutdown(to, Int32(SHUT_WR))
                close(from)
                close(to)
            }.start()
        }
    }
}
