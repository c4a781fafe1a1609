import Testing
import WebPush

@Suite("Origins and names of the protocol")
struct OriginTests {
    @Test(
        "The origin of a URL",
        arguments: [
            ("https://push.example.net/wpush/v1/x", "https://push.example.net"),
            ("HTTPS://Push.Example.NET:443", "https://push.example.net"),
            ("http://127.0.0.1:80/?a", "http://127.0.0.1"),
            ("https://[::1]:8443/x", "https://[::1]:8443"),
            ("https://a.example:8443#b", "https://a.example:8443"),
            ("https://a.example:/x", "https://a.example"),
        ])
    func origin(url: String, origin: String) {
        #expect(Origin(url: url)?.description == origin)
    }

    @Test(
        "URLs without an origin",
        arguments: [
            "", "https://", "https:///x", "ftp://a.example", "a.example", "https:a.example",
            "https://user@a.example/", "https://a.example:0/", "https://a.example:65536/",
            "https://a.example:8x/", "https://a b/", "https://[::1/", "https://ü.example/",
        ])
    func none(url: String) {
        #expect(Origin(url: url)?.description == nil)
    }

    @Test("A topic has up to 32 characters of the URL-safe alphabet")
    func topic() {
        #expect(Topic("upd-_9") != nil && Topic(String(repeating: "a", count: 32)) != nil)
        #expect(Topic("") == nil && Topic(String(repeating: "a", count: 33)) == nil)
        #expect(Topic("a=") == nil && Topic("ä") == nil && Topic("a\n") == nil)
    }
}
