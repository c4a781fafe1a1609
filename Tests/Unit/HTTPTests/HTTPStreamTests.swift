import Foundation
import System
import TestSupport
import Testing

@testable import HTTP

@Suite("Answers that are streams, by HTTP/1.1")
struct HTTPStreamTests {
    private static let whole = "GET /whole HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("Chunks come as they are written, and the connection goes on afterwards")
    func chunks() throws {
        let fixture = try StreamFixture()
        let reader = try fixture.reader()
        let start = reader.read(until: "3\r\n/a\n\r\n")
        #expect(start.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"))
        #expect(start.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!start.contains("Content-Length") && !start.contains("Connection"))
        fixture.with { $0.say("first\n") }
        #expect(reader.read(until: "\n\r\n") == "6\r\nfirst\n\r\n")
        fixture.with { $0.say("", String(repeating: "x", count: 299) + "\n") }
        #expect(reader.read(until: "\n\r\n").hasPrefix("12c\r\nxxx"))
        fixture.with { $0.end() }
        #expect(reader.read(until: "0\r\n\r\n") == "0\r\n\r\n")
        reader.send(Self.whole)
        #expect(reader.read(until: "whole").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(fixture.next() == .opened("/a"))
        #expect(fixture.accesses.next() == 200 && fixture.accesses.next() == 200)
        #expect(fixture.ask { $0.streams.count } == 0)
    }

    @Test("A stream may begin later, and what was sent meanwhile is answered after it")
    func pipelined() throws {
        let fixture = try StreamFixture()
        let reader = try fixture.reader("/later")
        reader.send(Self.whole)
        #expect(fixture.next() == .asked)
        fixture.with { $0.beginLater() }
        #expect(reader.read(until: "/later\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
        // More than is read during a stream.
        reader.send(String(repeating: Self.whole, count: 1_000))
        fixture.with { $0.say("b\n") }
        #expect(reader.read(until: "b\n\r\n") == "2\r\nb\n\r\n")
        fixture.with { $0.end() }
        var text = ""
        while text.components(separatedBy: "whole").count < 1_002 {
            text += String(decoding: try #require(reader.next()), as: UTF8.self)
        }
        #expect(text.hasPrefix("0\r\n\r\nHTTP/1.1 200 OK\r\n") && text.hasSuffix("whole"))
    }

    @Test("A stream that ends in the turn in which it began is an answer like any other")
    func atOnce() throws {
        let fixture = try StreamFixture()
        let reader = try RawSocket(port: fixture.port)
        let poll = "GET /poll HTTP/1.1\r\nHost: a\r\n\r\n"
        reader.send(poll + poll + Self.whole)
        let text = reader.read(until: "whole")
        let body = "\r\n\r\n4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\nHTTP/1.1 200 OK"
        #expect(text.components(separatedBy: body).count == 3)
        reader.send("GET /poll HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let last = String(decoding: reader.readToEnd(), as: UTF8.self)
        #expect(last.contains("\r\nConnection: close\r\n") && last.hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test(
        "An HTTP/1.0 client gets the bytes alone, up to the end of its connection",
        arguments: ["Host: a", "Connection: keep-alive"])
    func old(field: String) throws {
        let fixture = try StreamFixture()
        let reader = try fixture.reader("/a", "HTTP/1.0", field)
        let start = reader.read(until: "/a\n")
        #expect(start.hasSuffix("\r\nConnection: close\r\n\r\n/a\n") && !start.contains("chunked"))
        fixture.with { $0.say("b\n", "c\n") }
        #expect(reader.read(until: "c\n") == "b\nc\n")
        fixture.with { $0.end() }
        #expect(reader.isAtEnd)
    }

    @Test("HEAD gets the head, and nothing is written")
    func head() throws {
        let fixture = try StreamFixture()
        let reader = try RawSocket(port: fixture.port)
        reader.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + Self.whole)
        let text = reader.read(until: "whole")
        let empty = "\r\nTransfer-Encoding: chunked\r\n"
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains(empty))
        #expect(text.components(separatedBy: "\r\n\r\n")[1].hasPrefix("HTTP/1.1 200 OK"))
        #expect(fixture.next() == .refused("/a"))
    }

    @Test("What is written in one turn of the loop leaves in one write")
    func oneWrite() throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let reader = try fixture.reader()
        // TLS makes a record of each write.
        #expect(reader.next()?.suffix(8) == Array("3\r\n/a\n\r\n".utf8)[...])
        fixture.with { $0.say("1\n", "2\n", "3\n") }
        #expect(reader.next() == Array("2\r\n1\n\r\n2\r\n2\n\r\n2\r\n3\n\r\n".utf8))
    }

    @Test("A reader that goes away is noticed while nothing is sent", arguments: [false, true])
    func gone(isEncrypted: Bool) throws {
        let fixture = try StreamFixture(isEncrypted: isEncrypted)
        do {
            let reader = try fixture.reader()
            #expect(fixture.next() == .opened("/a"))
            _ = reader.read(until: "/a\n\r\n")
        }
        #expect(fixture.next() == .closed)
        do {
            let reader = try fixture.reader("/b")
            #expect(fixture.next() == .opened("/b"))
            _ = reader.read(until: "/b\n\r\n")
            // The connection is reset.
            var linger = Foundation.linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<Foundation.linger>.size)
            setsockopt(reader.descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
        }
        #expect(fixture.next() == .closed)
        #expect(fixture.ask { $0.streams.count } == 0)
    }

    @Test("A reader that does not read is cut when too much waits for it")
    func flooded() throws {
        let fixture = try StreamFixture(
            HTTPStreamTerms(congestion: 10_000, outputLimit: 200_000))
        let reader = try fixture.reader(receiveBuffer: 4_096)
        #expect(fixture.next() == .opened("/a"))
        let line = String(repeating: "x", count: 50_000)
        var (written, peak) = (0, 0)
        while let waits = fixture.ask({ hall -> Int? in
            hall.say(line)
            return hall.streams.first?.bufferedBytes
        }), let waits {
            (written, peak) = (written + 1, max(peak, waits))
        }
        // The first lines find room in the socket.
        var event = fixture.next()
        while event == .drained { event = fixture.next() }
        #expect(event == .closed && peak < 300_000 && written < 200)
        // The end is no proper one.
        let rest = reader.readToEnd()
        #expect(rest.count > 50_000 && rest.suffix(5) != Array("0\r\n\r\n".utf8)[...])
    }

    @Test("A long body is written as fast as it is read", arguments: [false, true])
    func drained(isEncrypted: Bool) throws {
        let fixture = try StreamFixture(isEncrypted: isEncrypted)
        let reader = try fixture.reader("/fill")
        var count = 0
        while let bytes = reader.next() {
            count += bytes.count { $0 == UInt8(ascii: "x") }
            if bytes.suffix(5) == Array("0\r\n\r\n".utf8)[...] { break }
        }
        // One is in the type of the content.
        #expect(count == StreamHall.fillBytes + 1)
        #expect(fixture.next() == .opened("/fill") && fixture.next() == .filled)
    }

    @Test("A reader that takes nothing is given up, and a waiting one is not")
    func patience() throws {
        var limits = HTTPService.Limits()
        limits.patience.idle = .milliseconds(250)
        limits.patience.head = .milliseconds(250)
        limits.patience.body = .milliseconds(250)
        let terms = HTTPStreamTerms(outputLimit: 1 << 26, patience: .milliseconds(700))
        let fixture = try StreamFixture(terms, limits: limits)
        let waiting = try fixture.reader("/waiting")
        _ = waiting.read(until: "/waiting\n\r\n")
        let deaf = try fixture.reader("/deaf", receiveBuffer: 4_096)
        _ = (fixture.next(), fixture.next())
        fixture.with { $0.say(String(repeating: "x", count: 1 << 24), to: 1) }
        #expect(fixture.next() == .closed)
        #expect(deaf.readToEnd().count < 1 << 24)
        fixture.with { $0.say("still there\n") }
        #expect(waiting.read(until: "\n\r\n") == "c\r\nstill there\n\r\n")
    }

    @Test("A reader that takes nothing is given up, even if the kernel has room for all of it")
    func unread() throws {
        let fixture = try StreamFixture(HTTPStreamTerms(patience: .milliseconds(300)))
        let reader = try fixture.reader(receiveBuffer: 4_096)
        #expect(fixture.next() == .opened("/a"))
        fixture.with { $0.say(String(repeating: "x", count: 100_000)) }
        #expect(fixture.next() == .drained && fixture.next() == .closed)
        #expect(reader.readToEnd().count < 100_000)
    }

    @Test("A server that stops ends its streams at once")
    func stopped() throws {
        let fixture = try StreamFixture()
        let readers = try ["HTTP/1.1", "HTTP/1.0"].map { try fixture.reader("/a", $0) }
        _ = readers[0].read(until: "/a\n\r\n")
        _ = readers[1].read(until: "/a\n")
        #expect(fixture.end(within: .seconds(60)) == [.drained])
        #expect(readers[0].readToEnd() == Array("0\r\n\r\n".utf8) && readers[1].isAtEnd)
        let events = (0..<4).map { _ in fixture.next() }
        #expect(events == [.opened("/a"), .opened("/a"), .closed, .closed])
    }

    @Test("A stream that would begin while the server stops is an empty answer")
    func tooLate() throws {
        let fixture = try StreamFixture()
        let reader = try RawSocket(port: fixture.port)
        reader.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(fixture.next() == .asked)
        fixture.server.drain(within: .seconds(60))
        fixture.with { $0.beginLater() }
        let answer = String(decoding: reader.readToEnd(), as: UTF8.self)
        #expect(answer.contains("\r\nContent-Length: 0\r\n") && answer.hasSuffix("\r\n\r\n"))
        #expect(fixture.next() == .refused("/later"))
    }

    @Test("A thousand readers wait, and each gets what is written")
    func thousand() throws {
        let fixture = try StreamFixture()
        let readers = try (0..<1_000).map { _ in try fixture.reader() }
        for reader in readers { #expect(reader.read(until: "/a\n\r\n").hasPrefix("HTTP/1.1 200")) }
        fixture.with { $0.say("to all\n") }
        for reader in readers { #expect(reader.read(until: "\n\r\n") == "7\r\nto all\n\r\n") }
        #expect(fixture.ask { $0.streams.reduce(0) { $0 + $1.bufferedBytes } } == 0)
        #expect(fixture.end(within: .seconds(60)) == [.drained])
        for reader in readers { #expect(reader.readToEnd() == Array("0\r\n\r\n".utf8)) }
    }

    @Test("curl reads a stream", arguments: ["--http1.1", "--http2", "--http1.0"])
    func curl(version: String) throws {
        let fixture = try StreamFixture(isEncrypted: true)
        let curl = try RunningProcess(
            "/usr/bin/curl",
            [
                "--silent", "--show-error", "--no-buffer", version, "--max-time", "20", "--cacert",
                fixture.authorityPath, "https://localhost:\(fixture.port)/curl",
            ])
        #expect(fixture.next() == .opened("/curl"))
        fixture.with { $0.say("one\n", "two\n") }
        fixture.with { $0.end() }
        #expect(try curl.text() == "/curl\none\ntwo\n")
        #expect(curl.wait() == 0)
    }
}
