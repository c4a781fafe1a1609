import Foundation
import HookSupport
import TestSupport
import Testing

@Suite("The story of a registration with a callback")
struct RegistrationStoryTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func run(_ arguments: String...) throws -> String {
        let outcome = try fixture.run(arguments)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func register(_ hook: HookServer, _ options: String...) throws -> [String: Any] {
        let outcome = try fixture.run(
            [
                "register", "--app", "telegram", "--account", "me", "--json", "--callback",
                "http://127.0.0.1:\(hook.port)/hook",
            ] + options)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try ServeFixture.object(outcome.output)
    }

    private func put(_ endpoint: Any?) throws -> String {
        try ServeFixture.output(
            "/usr/bin/curl",
            [
                "-sS", "-X", "PUT", "-d", "version=7", "-o", "/dev/null", "-w", "%{http_code}",
                endpoint as? String ?? "",
            ])
    }

    /// `TYPE MEMBER`, with the most telling member of the event.
    private func summary(_ request: HookRequest) throws -> String {
        let event = try ServeFixture.object(request.text)
        let data = event["data"] as? [String: Any] ?? [:]
        let type = event["type"] as? String ?? ""
        switch type {
        case "push.message":
            var text = data["payload"] as? String ?? ""
            while text.count % 4 != 0 { text += "=" }
            let bytes = Data(base64Encoded: text) ?? Data()
            return "\(type) \(String(decoding: bytes, as: UTF8.self))"
        case "push.undecryptable": return "\(type) \(data["reason"] as? String ?? "")"
        case "push.fetch": return "\(type) \(data["count"] as? Int ?? 0)"
        default: return type
        }
    }

    @Test("The callback gets registration, push, rotation and revocation in order")
    func story() throws {
        let hook = try HookServer()
        let server = try fixture.startInClear()
        let made = try register(hook)
        let id = try #require(made["id"] as? String)
        #expect((made["callback_secret"] as? String)?.hasPrefix("whsec_") == true)
        _ = try run("send", "--to", try fixture.subscription(made), "one")
        _ = try run("send", "--to", try fixture.subscription(made), "--encoding", "aesgcm", "two")
        _ = try ServeFixture.output(
            "/usr/bin/curl", ["-sS", "-d", "clear", made["endpoint"] as? String ?? ""])
        #expect(try put(made["endpoint"]) == "201")
        let rotated = try ServeFixture.object(try run("registration", "rotate", id, "--json"))
        #expect(rotated["callback_secret"] as? String != made["callback_secret"] as? String)
        _ = try run("send", "--to", try fixture.subscription(rotated), "three")
        _ = try run("registration", "revoke", id)
        #expect(try put(rotated["endpoint"]) == "410" && put(made["endpoint"]) == "410")
        let requests = hook.requests(8)
        #expect(
            try requests.map(summary) == [
                "registration.created", "push.message one", "push.message two",
                "push.undecryptable not-encrypted", "push.fetch 1", "registration.rotated",
                "push.message three", "registration.deleted",
            ])
        #expect(Set(requests.map(\.id)).count == 8)
        let created = try ServeFixture.object(requests[0].text)["data"] as? [String: Any] ?? [:]
        let parameters = created["register_device"] as? NSDictionary
        #expect(parameters == made["register_device"] as? NSDictionary && parameters != nil)
        let change = try ServeFixture.object(requests[5].text)["data"] as? [String: Any] ?? [:]
        let former = change["unregister_device"] as? [String: Any] ?? [:]
        #expect(former["token"] as? String == made["token"] as? String)
        #expect(
            change["register_device"] as? NSDictionary
                == rotated["register_device"] as? NSDictionary)
        #expect(server.end() == 0)
    }

    @Test("At each start the callback gets the current token")
    func reminder() throws {
        let hook = try HookServer()
        let made = try {
            let server = try fixture.startInClear()
            defer { _ = server.end() }
            let made = try register(hook)
            #expect(try hook.requests(1).map(summary) == ["registration.created"])
            // A server that stops before the answer would send it again.
            usleep(300_000)
            return made
        }()
        for count in 2...3 {
            let server = try fixture.startInClear()
            let request = try #require(hook.requests(count).last)
            #expect(try summary(request) == "registration.refresh")
            let data = try ServeFixture.object(request.text)["data"] as? [String: Any] ?? [:]
            let parameters = data["register_device"] as? [String: Any]
            let token = parameters?["token"] as? String ?? ""
            let former = made["register_device"] as? [String: Any] ?? [:]
            // The port is a new one.
            #expect(token.suffix(150) == (former["token"] as? String ?? "").suffix(150))
            #expect(!token.isEmpty && server.end() == 0)
        }
    }

    @Test("Accepted events reach the callback after a kill, each under one id")
    func killed() throws {
        let down = HookAnswer(503)
        let hook = try HookServer { request in
            request.text.contains("registration.created") ? .confirming(request) : down
        }
        let server = try fixture.startInClear()
        let made = try register(hook)
        let path = try fixture.subscription(made)
        for number in 0..<3 { _ = try run("send", "--to", path, "\(number)") }
        // At least one attempt was made and refused.
        _ = hook.requests(2)
        _ = server.end(by: SIGKILL)
        hook.reply { HookAnswer.confirming($0) }
        let again = try fixture.startInClear()
        func seen() throws -> [(id: String, text: String)] {
            try hook.requests.map { (id: $0.id, text: try summary($0)) }
                .filter { $0.text.hasPrefix("push.message") }
        }
        for _ in 0..<20 {
            let count = hook.requests.count
            if try seen().contains(where: { $0.text == "push.message 2" }) { break }
            _ = hook.requests(count + 1)
        }
        let events = try seen()
        for number in 0..<3 {
            let text = "push.message \(number)"
            #expect(Set(events.filter { $0.text == text }.map(\.id)).count == 1, "\(text)")
        }
        #expect(again.end() == 0)
    }
}
