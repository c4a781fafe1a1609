import Crypto
import Foundation
import System
import TestSupport
import Testing

@testable import HTTP

/// One thing that a client fetches from a listener.
private final class Fetch {
    let events = Events<HTTPDownload.Outcome>()
    private let loops: LoopGroup

    init(_ port: UInt16, limit: Int = 100, patience: Duration = .seconds(10)) throws {
        let url = try #require(ClientURL(webSocket: "ws://127.0.0.1:\(port)/a/b?c"))
        var options = HTTPDownloadOptions(
            ClientRoute(
                to: url, try TLSContext(client: .authorities([]), protocols: [.http1])))
        options.fields = [("Authorization", "Bearer abc")]
        options.bodyLimit = limit
        options.route.patience.upgrade = patience
        signal(SIGPIPE, SIG_IGN)
        loops = try LoopGroup(count: 1)
        let (loop, events, chosen) = (loops.loops[0], events, options)
        try loops.start(name: "fetch")
        loop.post { HTTPDownload.begin(chosen, on: loop) { events.add($0) } }
    }

    deinit {
        loops.drain(within: .zero)
        _ = loops.join()
    }

    var text: String? {
        guard case .success(let bytes) = events.next() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("What a client fetches")
struct HTTPDownloadTests {
    @Test("The request has the host, the target and the fields")
    func request() throws {
        let listener = try RawListener()
        let fetch = try Fetch(listener.port)
        let server = try listener.accept()
        let lines = server.head().components(separatedBy: "\r\n")
        #expect(
            lines == [
                "GET /a/b?c HTTP/1.1", "Host: 127.0.0.1:\(listener.port)",
                "Authorization: Bearer abc", "Connection: close", "", "",
            ])
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        #expect(fetch.text == "hello")
    }

    @Test(
        "A body of any framing comes whole, however it is cut",
        arguments: [
            "Content-Length: 5\r\n\r\nhello", "Content-Length: 5\r\n\r\nhello and more",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nA: b\r\n\r\n",
        ])
    func framings(rest: String) throws {
        let bytes = Array("HTTP/1.1 200 OK\r\n\(rest)".utf8)
        for cut in bytes.indices {
            var reader = HTTP1AnswerReader()
            var found: [UInt8]?
            var body: HTTPAnswerBody?
            for part in [bytes[..<cut], bytes[cut...]].map({ Array($0) }) where found == nil {
                if body != nil {
                    found = try body?.read(part.span)
                } else if let answer = try reader.read(part.span) {
                    body = try HTTPAnswerBody(of: answer, limit: 5)
                    found = try body?.read(answer.rest.span)
                }
            }
            #expect(found == Array("hello".utf8), "\(cut)")
        }
    }

    @Test("Without a length, the body ends with the connection")
    func untilEnd() throws {
        let listener = try RawListener()
        let fetch = try Fetch(listener.port)
        do {
            let server = try listener.accept()
            _ = server.head()
            server.send("HTTP/1.1 200 OK\r\n\r\nhello")
        }
        #expect(fetch.text == "hello")
    }

    @Test(
        "What is refused, moved, cut, too long or badly framed is no answer",
        arguments: [
            "404 Gone\r\nContent-Length: 0\r\n\r\n", "302 Found\r\nLocation: /x\r\n\r\n",
            "200 OK\r\nContent-Length: 9\r\n\r\nhello",
            "200 OK\r\nContent-Length: 101\r\n\r\nhello",
            "200 OK\r\nContent-Length: x\r\n\r\nhello",
            "200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
            "200 OK\r\n\r\n" + String(repeating: "x", count: 101),
        ])
    func refusals(answer: String) throws {
        let listener = try RawListener()
        let fetch = try Fetch(listener.port)
        do {
            let server = try listener.accept()
            _ = server.head()
            server.send("HTTP/1.1 \(answer)")
        }
        #expect(fetch.text == nil)
    }

    @Test("An answer that never ends is given up in time")
    func slow() throws {
        let listener = try RawListener()
        let fetch = try Fetch(listener.port, patience: .milliseconds(100))
        let server = try listener.accept()
        _ = server.head()
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")
        guard case .failure(let failure) = fetch.events.next() else {
            Issue.record("half an answer was taken")
            return
        }
        #expect(failure == .timedOut(.upgrade))
    }
}
