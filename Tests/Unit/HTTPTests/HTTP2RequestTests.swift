import Testing

@testable import HTTP

@Suite("HTTP/2 requests and answers")
struct HTTP2RequestTests {
    @Test("A GET is read and answered")
    func get() throws {
        var server = try HTTP2Server()
        server.answers = { session, stream in
            var head = ResponseHead(status: 200)
            head.fields.append("TTL", "60")
            session.respond(
                to: stream, head, body: Array("hello".utf8), date: Array("today".utf8))
        }
        let client = HTTP2Client()
        let stream = client.get("/a?b", [("accept", "x/y"), ("accept", "z")])
        server.talk(with: client)
        let head = try #require(server.heads.first)
        #expect(head.method == "GET" && head.path == "/a" && head.query == "b")
        #expect(head.authority == "push.example" && head.version == .http2)
        #expect(head.fields == ["accept=x/y", "accept=z"])
        #expect(
            server.entries == [.head(stream, head), .end(stream), .closed(stream, .noError)])
        let answer = try #require(client.answers[stream])
        #expect(answer.status == "200" && answer.body == Array("hello".utf8))
        #expect(answer.fields == ["ttl=60", "date=today", "content-length=5"])
        #expect(answer.closed == .noError)
        #expect(server.session.openStreams == 0 && !server.session.isFinished)
    }

    @Test("A body that comes in pieces is delivered as it comes")
    func post() throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let pieces = (0..<40).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 37) }
        let stream = client.request(HTTP2Client.head("POST"), body: pieces)
        server.talk(with: client)
        #expect(server.body(of: stream) == pieces.flatMap(\.self))
        #expect(client.answers[stream]?.status == "201")
        #expect(client.answers[stream]?.fields == ["content-length=0"])
        #expect(!server.entries.contains(.lingering(stream)), "the request was whole")
    }

    @Test("A hundred requests at once, and a thousand one after the other, are all answered")
    func manyStreams() throws {
        var server = try HTTP2Server()
        server.answerAll(200, body: [UInt8](repeating: 7, count: 3000))
        let client = HTTP2Client()
        for round in 0..<10 {
            for index in 0..<100 { client.post("/\(round)/\(index)", [1, 2, 3]) }
            server.talk(with: client)
        }
        #expect(client.answers.count == 1000)
        for answer in client.answers.values {
            #expect(answer.status == "200" && answer.body.count == 3000)
        }
        #expect(server.heads.count == 1000 && server.session.openStreams == 0)
    }

    @Test("HEAD gets the length and no body, 204 and 304 neither", arguments: [200, 204, 304])
    func withoutBody(status: Int) throws {
        var server = try HTTP2Server()
        server.answerAll(status, body: status == 200 ? [1, 2, 3] : [])
        let client = HTTP2Client()
        let stream = client.request(HTTP2Client.head(status == 200 ? "HEAD" : "GET"))
        server.talk(with: client)
        let answer = try #require(client.answers[stream])
        #expect(answer.status == "\(status)" && answer.body.isEmpty && answer.closed == .noError)
        #expect(answer.fields == (status == 200 ? ["content-length=3"] : []))
    }

    @Test("Trailers are checked and dropped")
    func trailers() throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let good = client.request(
            HTTP2Client.head("POST"), body: [[1, 2]], trailers: [("x-sum", "1")])
        let long = client.request(
            HTTP2Client.head("POST"), body: [[3]],
            trailers: [("x-sum", String(repeating: "1", count: 5000))])
        server.talk(with: client)
        #expect(server.body(of: good) == [1, 2])
        #expect(client.answers[good]?.status == "201")
        #expect(client.answers[long]?.status == "431")
        #expect(server.heads.allSatisfy { $0.fields.isEmpty })
    }

    @Test("A client that waits for status 100 gets it")
    func expectation() throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let stream = client.request(
            HTTP2Client.head("POST") + [("expect", "100-continue")], body: [], keepsOpen: true)
        server.talk(with: client)
        #expect(server.entries.contains(.continueExpected(stream)))
        #expect(client.answers[stream]?.status == "100")
        client.finishBody(of: stream)
        server.talk(with: client)
        #expect(client.answers[stream]?.status == "100201")
    }

    @Test("A cookie that comes in several fields is one field")
    func cookies() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        client.get("/", [("cookie", "a=b"), ("x-a", "1"), ("cookie", "c=d")])
        server.talk(with: client)
        #expect(server.heads.first?.fields == ["x-a=1", "cookie=a=b; c=d"])
    }

    @Test("A cancelled request is reported at once, and its late answer is dropped")
    func givenUp() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        let stream = client.request(HTTP2Client.head("POST"), body: [[1]], keepsOpen: true)
        server.talk(with: client)
        client.reset(stream)
        server.talk(with: client)
        #expect(server.entries.last == .closed(stream, .cancel))
        server.session.respond(to: stream, ResponseHead(status: 200))
        #expect(server.output().isEmpty)
    }

    @Test("A sender that gets its answer early may send the rest, or is stopped without harm")
    func early() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        let streams = (0..<2).map { _ in
            client.request(HTTP2Client.head("POST"), body: [[1], [2]], keepsOpen: true)
        }
        server.talk(with: client)
        for stream in streams {
            server.session.respond(to: stream, ResponseHead(status: 404), body: [9])
        }
        server.talk(with: client)
        #expect(server.entries.suffix(2) == streams.map { .lingering($0) })
        client.finishBody(of: streams[0])
        server.session.reset(streams[1], .noError)
        server.talk(with: client)
        for stream in streams {
            let answer = try #require(client.answers[stream])
            #expect(answer.status == "404" && answer.body == [9] && answer.closed == .noError)
            #expect(server.entries.contains(.closed(stream, .noError)))
        }
        #expect(server.session.openStreams == 0)
    }

    @Test("A sender that was refused cannot send more than its window")
    func refusedUpload() throws {
        var server = try HTTP2Server()
        server.answerAll()
        let client = HTTP2Client()
        let stream = client.post("/", [UInt8](repeating: 1, count: 100_000))
        server.talk(with: client)
        #expect(client.answers[stream]?.status == "413" && client.answers[stream]?.closed == nil)
        #expect(server.entries.last == .lingering(stream))
        let other = client.post("/", [UInt8](repeating: 1, count: 60_000))
        server.talk(with: client)
        #expect(client.answers[other]?.status == "201")
    }

    @Test("The settings that the server sends at the start")
    func settings() throws {
        var limits = HTTPLimits()
        limits.headBytes = 12_345
        var server = try HTTP2Server(limits: limits)
        let client = HTTP2Client()
        server.talk(with: client)
        let headerTable = UInt32(HTTP2Settings().headerTableBytes)
        #expect(
            client.settings == [
                1: headerTable, 3: 100, 4: 65_535, 5: 16_384, 6: 12_345, 8: 0, 9: 1,
            ])
    }

    @Test("The memory of a head can be reused by another session")
    func memory() throws {
        var (one, other) = (try HTTP2Server(), try HTTP2Server())
        one.receive(HTTP2Wire.opening + HTTP2Wire.get(1))
        let head = one.session.takeHead()
        #expect(one.session.head.bytes.isEmpty)
        other.receive(HTTP2Wire.opening)
        other.session.reuse(head)
        other.receive(HTTP2Wire.get(1))
        #expect(other.heads.first?.authority == "a" && head.text(head.path) == "/")
    }
}
