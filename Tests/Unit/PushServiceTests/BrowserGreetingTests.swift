import Testing
import WebPush

@testable import PushService

@Suite("A browser that opens the server's name")
struct BrowserGreetingTests {
    private static let firefox = (
        "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    )

    @Test("It gets a page that leads to the status page, whoever may open a WebSocket")
    func page() throws {
        let fixture = try PushFixture { $0.settings = { $0.registration = .token } }
        let answer = try fixture.request("GET", "/", [Self.firefox])
        #expect(answer.status == 200 && answer["content-type"] == "text/html; charset=utf-8")
        #expect(answer.text.contains("a push service") && answer.text.contains("href=\"/ui/\""))
        #expect(answer["cache-control"] == "no-store")
        #expect(answer["content-security-policy"]?.hasPrefix("default-src 'none';") == true)
        let german = try fixture.request("GET", "/", [Self.firefox, ("Accept-Language", "de")])
        #expect(german.text.contains("lang=\"de\""))
    }

    @Test("Programs get what they got, and browsers that open a WebSocket")
    func programs() throws {
        let fixture = try PushFixture()
        for fields in [[], [("Accept", "*/*")], [("Accept", "application/json")]] {
            let answer = try fixture.request("GET", "/", fields)
            #expect(answer.status == 400, "they ask for no WebSocket")
            #expect(answer["content-type"] != "text/html; charset=utf-8")
        }
        let former = try fixture.request(
            "GET", "/",
            [
                Self.firefox, ("Connection", "Upgrade"), ("Upgrade", "websocket"),
                ("Sec-WebSocket-Version", "8"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ])
        #expect(former.status == 426 && former["sec-websocket-version"] == "13")
        #expect(try UserAgent(fixture, [Self.firefox]).answer.status == 101)
    }

    @Test("There is no page under a name that is not the server's")
    func otherName() throws {
        let answer = try PushFixture().request(
            "GET", "/", [Self.firefox, ("Host", "rebound.example")])
        #expect(answer.status == 421)
    }

    @Test("It leads nowhere if there is no status page, and elsewhere if that is elsewhere")
    func places() throws {
        let none = try PushFixture { $0.baseURL = "https://push.example/push" }
        for path in ["/push", "/push/"] {
            let answer = try none.request("GET", path, [Self.firefox])
            #expect(answer.status == 200 && !answer.text.contains("/ui/"))
        }
        let own = try #require(Origin(url: "https://status.example"))
        let fixture = try PushFixture { $0.settings = { $0.page = .own(own) } }
        let answer = try fixture.request("GET", "/", [Self.firefox])
        #expect(answer.text.contains("href=\"https://status.example/ui/\""))
        #expect(!answer.text.contains("style.css"))
        let there = try fixture.request("GET", "/", [Self.firefox, ("Host", "status.example")])
        #expect(there.status == 200 && there.text.contains("href=\"/ui/\""))
    }
}
