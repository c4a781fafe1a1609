import Foundation
import Testing
import Topics

@testable import PushService

@Suite("Publishing to topics")
struct PublishTests {
    @Test(
        "What an owner publishes is kept, and answered as ntfy answers", arguments: ["POST", "PUT"])
    func publish(method: String) throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let answer = try fixture.ntfy(
            method, "/builds?title=Ignored&tags=a,b", bearer, " It works \n",
            [("X-Title", "Build"), ("Content-Type", "application/x-www-form-urlencoded")])
        #expect(answer.status == 200 && answer["content-type"] == "application/json")
        #expect(answer.text.hasSuffix("}\n") && answer["cache-control"] == "no-store")
        let members = try answer.object()
        #expect(
            Set(members.keys)
                == ["id", "time", "expires", "event", "topic", "title", "message", "tags"])
        #expect(members["message"] as? String == "It works")
        #expect(members["title"] as? String == "Build" && members["topic"] as? String == "builds")
        let time = try #require(members["time"] as? Int)
        #expect(members["expires"] as? Int == time + 30 * 86_400)
        let kept = try fixture.history("builds")
        #expect(kept.map(\.id.text) == [answer.text("id")])
        #expect(kept.map(\.content.tags) == [["a", "b"]])
        #expect(try fixture.history("builds", of: "other").isEmpty)
    }

    @Test("JSON at the root names its topic, and header fields go with it")
    func json() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let answer = try fixture.ntfy(
            "POST", "/", bearer, #"{"topic":"t","message":"","title":"A","click":null}"#,
            [("X-Title", "B"), ("X-Priority", "high")])
        #expect(answer.text("message") == "triggered" && answer.text("title") == "A")
        #expect(try answer.object()["priority"] as? Int == 4)
        let raw = try fixture.ntfy(
            "POST", "/t", bearer, #"{"topic":"x"}"#, [("Content-Type", "application/json")])
        #expect(raw.text("message") == #"{"topic":"x"}"# && raw.text("topic") == "t")
    }

    @Test("A raw topic takes the JSON of a service as text")
    func raw() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let made = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"script","account":"raw","trust_clear":true,"#
                + #""topic":{"raw":true}}"#)
        #expect(made.status == 201, "\(made.text)")
        let note = #"{"heartbeat":null,"monitor":null,"msg":"Shop is down"}"#
        let json = [("Content-Type", "application/json")]
        #expect(try fixture.ntfy("POST", "/raw", bearer, note, json).text("message") == note)
        #expect(
            try fixture.ntfy("POST", "/read", bearer, note, json).text("message")
                == "Shop is down")
    }

    @Test("GET publishes what its query says, but not as a link or picture of a page")
    func trigger() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        for word in ["publish", "send", "trigger"] {
            let answer = try fixture.ntfy("GET", "/t/\(word)?m=hi%5Cnthere&p=5", bearer)
            #expect(answer.text("message") == "hi\nthere")
        }
        #expect(try fixture.ntfy("POST", "/t/send", bearer, "x").text("sequence_id") == "send")
        let load = [("Sec-Fetch-Dest", "image")]
        #expect(try fixture.ntfy("GET", "/t/send?m=x", bearer, nil, load).refusal == 40301)
        let encoded = Data("Bearer \(bearer)".utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "").replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
        let url = "/t/send?m=x&auth=\(encoded)"
        #expect(try fixture.ntfy("GET", url, nil, nil, load).status == 200)
        #expect(try fixture.ntfy("GET", "/t/s/delete", bearer, nil, load).refusal == 40301)
    }

    @Test("What is not to be kept is not kept")
    func unkept() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let answer = try fixture.ntfy("POST", "/t", bearer, "x", [("Cache", "no")])
        #expect(try answer.object()["expires"] == nil)
        let poll = try fixture.ntfy("POST", "/t", bearer, "x", [("X-Poll-ID", "abcdefghijkl")])
        #expect(poll.text("event") == "poll_request" && poll.text("message") == "New message")
        #expect(try fixture.history("t").isEmpty)
    }

    @Test("What cannot be published says why, by ntfy's numbers, and nothing is made of it")
    func refusals() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        for (target, field, value, number) in [
            ("/t", "X-Priority", "9", 40007), ("/t", "X-Delay", "1s", 40005),
            ("/t", "X-Delay", "4d", 40006), ("/t", "X-Delay", "soon", 40004),
            ("/t", "X-Icon", "ftp://x", 40021), ("/t", "X-Attach", "x", 40013),
            ("/t", "X-Actions", "dance, x", 40018), ("/t", "X-Email", "a@b", 40001),
            ("/t", "X-Call", "yes", 40032), ("/t", "X-Sequence-ID", "a b", 40049),
            ("/t", "X-Template", "nobody", 40047), ("/docs", "X-Title", "x", 40010),
            ("/", "X-Title", "x", 40024), ("/a/b/c", "X-Title", "x", 40401),
            ("/t/", "X-Title", "x", 40401), ("/t", "Authorization", "Bearer tk_wrong", 40101),
        ] {
            let own = field == "Authorization" ? nil : bearer
            let answer = try fixture.ntfy("POST", target, own, "{", [(field, value)])
            #expect(answer.refusal == number, "\(target) \(field): \(value)")
        }
        #expect(try fixture.ntfy("POST", "/", bearer, #"{"topic":"a b"}"#).refusal == 40009)
        #expect(try fixture.ntfy("POST", "/t", nil, "x").refusal == 40301)
        #expect(try fixture.device(ofTopic: "t") == nil)
        let long = String(repeating: "x", count: 8_192)
        #expect(try fixture.ntfy("POST", "/", bearer, #"{"topic":"\#(long)"}"#).refusal == 41303)
        #expect(
            try fixture.ntfy("POST", "/t", nil, String(repeating: long, count: 9)).refusal == 41301)
    }

    @Test("A program of this machine may publish without a credential, and nothing else")
    func thisMachine() throws {
        let fixture = try PushFixture.ofThisMachine()
        let here = [("Host", "localhost")]
        #expect(try fixture.ntfy("POST", "/t", nil, "x", here).status == 200)
        #expect(try fixture.history("t", of: "admin").map(\.content.text) == ["x"])
        for more in [("Origin", "https://x"), ("Cookie", "a=b"), ("X-Forwarded-For", "1.2.3.4")] {
            #expect(try fixture.ntfy("POST", "/t", nil, "x", here + [more]).refusal == 40301)
        }
        #expect(try fixture.ntfy("POST", "/t", nil, "x").refusal == 40301)
        #expect(try fixture.ntfy("DELETE", "/t/x", nil, nil, here).refusal == 40301)
        #expect(try fixture.ntfy("GET", "/t/auth", nil, nil, here).refusal == 40301)
        let bytes = try fixture.request("POST", "/t", here, body: [0xFF, 0xFE])
        #expect(bytes.refusal == 40011)
        let long = String(repeating: "x", count: 60_000)
        #expect(try fixture.ntfy("POST", "/t", nil, long, here).text("message") == long)
    }

    @Test("Liveness, preflight and chunks need nothing of the sender")
    func plain() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        #expect(try fixture.ntfy("HEAD", "/").status == 200)
        for path in ["/", "/t", "/t/json", "/v1/account"] {
            let answer = try fixture.ntfy("OPTIONS", path)
            #expect(answer.status == 200 && answer["access-control-allow-headers"] == "*")
        }
        let socket = try ByteSocket(port: fixture.port)
        let head =
            "POST /t HTTP/1.1\r\nHost: push.example\r\nAuthorization: Bearer \(bearer)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        socket.send(Array(head.utf8))
        #expect(HTTPAnswer(from: socket).text("message") == "abc")
        let bytes = try fixture.request(
            "POST", "/t", [("Authorization", "Bearer \(bearer)"), ("X-Title", "Gr\u{FC}n")],
            body: [])
        #expect(bytes.text("title") == "Gr\u{FC}n" && bytes.text("message") == "triggered")
    }

    @Test("JSON of a known service is read at any topic, and a template makes the text")
    func services() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        let note = #"{"heartbeat":null,"monitor":null,"msg":"Shop is down"}"#
        let json = [("Content-Type", "application/json; charset=utf-8")]
        #expect(
            try fixture.ntfy("POST", "/t", bearer, note, json).text("message").contains("Shop"))
        #expect(try fixture.ntfy("POST", "/t?raw=1", bearer, note, json).text("message") == note)
        let made = try fixture.ntfy(
            "POST", "/t?tpl=1&m=%7B%7B.msg%7D%7D!&t=%7B%7B.x.y%7D%7D", bearer,
            #"{"msg":"Hi","x":{"y":"Z"}}"#)
        #expect(made.text("message") == "Hi!" && made.text("title") == "Z")
    }
}
