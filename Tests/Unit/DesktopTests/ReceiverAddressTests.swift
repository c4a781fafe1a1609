import Base
import Testing
import WebPush

@testable import Desktop

@Suite("The list of receivers")
struct ReceiverAddressTests {
    @Test("One address per line; comments and repetitions are skipped")
    func list() throws {
        let file =
            "# mine\n\nwss://push.example/u/abc\n ws://localhost:80/u/x\nwss://push.example/u/abc"
        let list = try ReceiverAddress.list(Array(file.utf8))
        #expect(list.map(\.text) == ["wss://push.example/u/abc", "ws://localhost:80/u/x"])
    }

    @Test(
        "https means the same as wss, with a path or without",
        arguments: [
            ("https://push.example/u/abc", "wss://push.example/u/abc", "https://push.example"),
            ("wss://push.example/u/abc", "wss://push.example/u/abc", "https://push.example"),
            ("HTTPS://push.example:8443", "wss://push.example:8443", "https://push.example:8443"),
            ("wss://push.example/", "wss://push.example/", "https://push.example"),
            (
                "https://site.example/push/u/abc", "wss://site.example/push/u/abc",
                "https://site.example/push"
            ),
            ("http://localhost:80/u/x", "ws://localhost:80/u/x", "http://localhost:80"),
        ])
    func forms(written: String, text: String, baseURL: String) throws {
        let address = try #require(ReceiverAddress(written))
        #expect(address.text == text && address.baseURL == baseURL)
        #expect(address.url == (try #require(ReceiverAddress(text))).url)
        let list = try ReceiverAddress.list(Array("\(written)\n\(text)\n".utf8))
        #expect(list.map(\.text) == [text])
    }

    @Test("Accounts follow the address, with the application that opens them")
    func accounts() throws {
        let file = Array("wss://a.example/u/x telegram/me matrix/@me:b.c=org.example.Chat".utf8)
        #expect(
            try ReceiverAddress.list(file)[0].accounts == [
                EngineAccount(app: "telegram", account: "me"),
                EngineAccount(app: "matrix", account: "@me:b.c", entry: "org.example.Chat"),
            ])
        let source = EngineAccount(app: "telegram", account: "me").source(at: "a.example")
        #expect((source.id, source.name) == ("telegram/me@a.example", "Telegram"))
        // A script is known by what the user called it.
        #expect(EngineAccount(app: "script", account: "build").source(at: "a").name == "build")
    }

    @Test("An account opens the application of its first registration that names one")
    func registrations() {
        let list: [(app: String, account: String, service: String?)] = [
            ("telegram", "me", nil), ("telegram", "me", "org.example.First"),
            ("matrix", "me", "org.example.Chat"), ("telegram", "me", "org.example.Second"),
            ("telegram", "you", nil),
        ]
        let accounts = EngineAccount.list(
            list.map { app, account, service in
                ListedRegistration {
                    $0.app = app
                    $0.account = account
                    $0.service = service
                }
            })
        #expect(
            accounts == [
                EngineAccount(app: "telegram", account: "me", entry: "org.example.First"),
                EngineAccount(app: "matrix", account: "me", entry: "org.example.Chat"),
                EngineAccount(app: "telegram", account: "you"),
            ])
        #expect(accounts.map { $0.source(at: "localhost").service?.last } == ["t", "t", nil])
    }

    @Test(
        "A malformed address is refused with its line number, and is not shown",
        arguments: [
            "wss://a.example/u/secret me", "wss://a.example/u/secret a/", "wss://b/u/secret /b=",
            "wss://b/u/secret a/b=", "ws://push.example/u/secret", "http://push.example/u/secret",
            "a b", "wss://", "https://", "httpx://push.example/u/secret",
        ])
    func refused(line: String) {
        let refusal = #expect(throws: ReceiverAddress.Refusal.self) {
            try ReceiverAddress.list(Array("# one\n\(line)".utf8))
        }
        #expect(refusal?.line == 2)
        #expect(refusal.map { "\($0)\($0.hint)".contains("secret") } == false)
    }
}
