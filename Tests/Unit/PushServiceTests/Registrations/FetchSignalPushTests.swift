import Base
import Testing

@testable import Mailbox

@Suite("Pushes that say there is something to fetch")
struct FetchSignalPushTests {
    private func signals(_ app: RegisteredApp) throws -> [String] {
        try app.messages().map { message in
            "\(message["count"] as? Int ?? 0):\(message["version"] as? String ?? "-")"
        }
    }

    @Test(
        "Each PUT or POST to a type 4 endpoint is one signal",
        arguments: [
            ("version=17", "1:17"), ("", "1:-"),
            ("version=9223372036854775807", "1:9223372036854775807"),
            ("version=x", "1:-"), ("rubbish \u{0}", "1:-"),
        ], ["PUT", "POST"])
    func anything(body: (String, String), method: String) throws {
        let app = try RegisteredApp(try PushFixture(), type: 4)
        let answer = try app.raw(Array(body.0.utf8), method: method, [])
        #expect(answer.status == 201 && answer["ttl"] == "2419200")
        #expect(answer["location"] != nil)
        #expect(try signals(app) == [body.1])
    }

    @Test("The version may come in chunks, or in the query")
    func forms() throws {
        let app = try RegisteredApp(try PushFixture(), type: 4)
        let chunks = "4\r\nvers\r\n6\r\nion=12\r\n0\r\n\r\n"
        let socket = try ByteSocket(port: app.fixture.port)
        socket.send(
            PushFixture.bytes(
                "PUT", app.endpoint, [("Transfer-Encoding", "chunked")], body: nil)
                + Array(chunks.utf8))
        #expect(HTTPAnswer(from: socket).status == 201)
        #expect(try signals(app) == ["1:12"])
        let asked = try app.fixture.request("PUT", app.endpoint + "?version=13", body: [])
        #expect(asked.status == 201)
        #expect(try signals(app) == ["2:13"])
    }

    @Test("Waiting signals are merged into one with their count, and fetched once")
    func merged() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, type: 4)
        for number in [9, 3, 5] {
            #expect(try app.raw(Array("version=\(number)".utf8), method: "PUT", []).status == 201)
        }
        try fixture.restart()
        #expect(try signals(app) == ["3:5"])
        #expect(try app.messages(fetching: true).count == 1)
        #expect(try app.messages(fetching: true).isEmpty)
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try signals(app) == ["1:-"])
    }

    @Test("A simple push to an endpoint with keys is a signal, and so is an empty message")
    func receiver() throws {
        let app = try RegisteredApp(try PushFixture())
        #expect(try app.raw(Array("version=4".utf8), method: "PUT", []).status == 201)
        #expect(try app.raw([], method: "PUT", []).status == 201)
        #expect(try app.raw([], method: "POST", [("TTL", "60")])["ttl"] == "60")
        #expect(try signals(app) == ["3:-"])
        // By POST it is a message, and not encrypted.
        #expect(try app.raw(Array("version=4".utf8), method: "POST").status == 201)
        #expect(try app.undecryptable() == ["not-encrypted": 1])
        #expect(try app.push("encrypted", method: "PUT").status == 201)
        #expect(try app.payloads() == ["encrypted", ""])
    }

    @Test("A signal with TTL 0 is not kept, and no signal is kept longer than allowed")
    func lifetimes() throws {
        let fixture = try PushFixture()
        let app = try RegisteredApp(fixture, type: 4)
        #expect(try app.raw([], method: "PUT", [("TTL", "0")])["ttl"] == "0")
        #expect(try signals(app) == [])
        let capped = try RegisteredApp(fixture, type: 4, #","ttl":30"#)
        #expect(try capped.raw([], method: "PUT", [])["ttl"] == "30")
        #expect(try app.raw([], method: "PUT", [("TTL", "-1")]).code == "400/114")
    }

    @Test("A body that is too large is refused by every kind of endpoint")
    func tooLarge() throws {
        let fixture = try PushFixture()
        for type in [4, 10] {
            let app = try RegisteredApp(fixture, type: type)
            let body = [UInt8](repeating: 0x61, count: 5_631)
            for method in ["PUT", "POST"] {
                #expect(try app.raw(body, method: method).code == "413/104")
            }
            #expect(try app.raw(Array(body.dropLast()), method: "PUT").status == 201)
        }
    }
}
