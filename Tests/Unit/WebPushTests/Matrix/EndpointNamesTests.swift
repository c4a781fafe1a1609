import Testing

@testable import WebPush

@Suite("Pushkeys")
struct EndpointNamesTests {
    private func token(_ pushkey: String, path: String = "/push") throws -> String? {
        let origins = try ["https://push.example", "https://other.example:8443"].map {
            try #require(Origin(url: $0))
        }
        return EndpointNames(origins: origins, path: path).token(of: pushkey)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "An endpoint is named by its address, by its path, or by its token alone",
        arguments: [
            "https://push.example/push/wpush/v1/TOKEN", "https://push.example/wpush/v1/TOKEN",
            "https://push.example/push/wpush/v2/TOKEN", "https://push.example/push/wpush/TOKEN",
            "https://other.example:8443/push/wpush/v1/TOKEN",
            "HTTPS://Push.Example:443/wpush/TOKEN",
            "/push/wpush/v1/TOKEN", "/wpush/v1/TOKEN", "/wpush/TOKEN", "TOKEN",
        ])
    func ours(pushkey: String) throws {
        #expect(try token(pushkey) == "TOKEN")
    }

    @Test(
        "Foreign URLs and invalid endpoints are not ours",
        arguments: [
            "https://push.example.org/push/wpush/v1/TOKEN", "https://push.example:8443/wpush/TOKEN",
            "http://push.example/push/wpush/v1/TOKEN",
            "https://push.example@evil.example/wpush/TOKEN",
            "https://evil.example/?https://push.example/wpush/TOKEN",
            "ftp://push.example/wpush/TOKEN",
            "https://push.example", "https://push.example/", "https://push.example/m/TOKEN",
            "https://push.example/push/wpush/v1/TOKEN/x", "/x/wpush/TOKEN", "/push", "/", "a/TOKEN",
            "https://push.example?/wpush/TOKEN",
        ])
    func foreign(pushkey: String) throws {
        #expect(try token(pushkey) == nil)
    }

    @Test("Without a base path, both are the same")
    func root() throws {
        #expect(try token("https://push.example/wpush/v1/TOKEN", path: "") == "TOKEN")
        #expect(try token("/wpush/v1/TOKEN", path: "") == "TOKEN")
        #expect(try token("/push/wpush/v1/TOKEN", path: "") == nil)
    }
}
