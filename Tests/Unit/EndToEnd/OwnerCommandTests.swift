import Foundation
import TestSupport
import Testing
import WebPush

@testable import bellwire

@Suite("bellwire owner")
struct OwnerCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("An owner is added, listed with its usage, and removed with its devices")
    func lifeOfOwner() throws {
        let server = try fixture.start()
        #expect(try fixture.run(["owner", "list"]).output.hasPrefix("no owners"))
        #expect(try fixture.run(["owner", "add", "ann"]).output == "added ann\n")
        let again = try fixture.run(["owner", "add", "ann"])
        #expect(
            again.exitCode == 3 && again.errors.contains("an owner with that name already exists"))
        for device in ["laptop", "phone"] {
            let arguments = ["device", "add", device, "--owner", "ann", "--json"]
            #expect(try fixture.run(arguments).output.contains(#""owner":"ann""#))
        }
        #expect(try fixture.run(["device", "add", "laptop"]).exitCode == 0)
        #expect(
            try fixture.run(["owner", "list"]).output == """
                ann    2 devices, 0 endpoints, 0 registrations, 0 messages waiting
                admin  1 device, 0 endpoints, 0 registrations, 0 messages waiting

                """)
        let json = try fixture.run(["owner", "list", "--json"]).output
        let root = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let owners = root?["owners"] as? [[String: Any]] ?? []
        #expect(owners.map { $0["name"] as? String } == ["ann", "admin"])
        #expect(owners.first?["devices"] as? Int == 2)

        #expect(try fixture.run(["owner", "remove", "ann"]).output == "removed ann\n")
        #expect(try fixture.run(["owner", "remove", "ann"]).exitCode == 3)
        #expect(try fixture.run(["device", "list"]).output == "3  laptop  admin  never seen\n")
        #expect(server.end() == 0)
    }

    @Test("What waits for an owner is listed with its size, and registrations are counted")
    func holdings() throws {
        let server = try fixture.startInClear()
        let made = try ServeFixture.object(
            fixture.run(["register", "--app", "telegram", "--account", "me", "--json"]).output)
        let sent = try fixture.run([
            "send", "--to", fixture.subscription(made), #"{"data":{"loc_key":"MESSAGE_TEXT"}}"#,
        ])
        #expect(sent.exitCode == 0, "\(sent.errors)")
        let list = try ServeFixture.object(fixture.run(["owner", "list", "--json"]).output)
        let owner = try #require((list["owners"] as? [[String: Any]])?.first)
        #expect(owner["registrations"] as? Int == 1 && owner["endpoints"] as? Int == 1)
        #expect(owner["devices"] as? Int == 0 && owner["user_agents"] as? Int == 0)
        let bytes = try #require(owner["bytes"] as? Int)
        #expect(owner["messages"] as? Int == 1 && bytes > 0)
        #expect(
            try fixture.run(["owner", "list"]).output
                == "admin  0 devices, 1 endpoint, 1 registration, 1 message waiting "
                + "(\(bytes) bytes)\n")
        #expect(server.end() == 0)
    }

    @Test("What topics keep is listed, if there is any")
    func kept() {
        var owner = ListedOwner()
        owner.name = "ann"
        let line = "ann  0 devices, 0 endpoints, 0 registrations, 0 messages waiting"
        #expect(ListedOwner.text([owner]) == line + "\n")
        (owner.keptMessages, owner.keptBytes) = (2, 300)
        #expect(ListedOwner.text([owner]) == line + ", 2 messages kept (300 bytes)\n")
    }

    @Test("An unprintable or missing name is refused")
    func badNames() throws {
        let server = try fixture.start()
        #expect(try fixture.run(["owner", "add", "a\u{1B}[2J"]).exitCode == 3)
        #expect(try fixture.run(["owner", "add"]).exitCode == 2)
        #expect(try fixture.run(["owner", "add", String(repeating: "a", count: 65)]).exitCode == 3)
        #expect(server.end() == 0)
    }

    @Test("Other users see only themselves, and add and remove nobody")
    func otherUsers() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers()
        #expect(try fixture.run(["owner", "add", "ann", "--state", folder]).exitCode == 0)
        #expect(try asUser(["device", "add", "his"], folder).contains("device his may connect"))
        let list = try asUser(["owner", "list"], folder)
        #expect(
            list == "uid:23456  1 device, 0 endpoints, 0 registrations, 0 messages waiting\n")
        for arguments in [["owner", "add", "bob"], ["owner", "remove", "uid:23456"]] {
            #expect(try asUser(arguments, folder).contains("this user has no rights here"))
        }
        #expect(try asUser(["owner", "remove", "ann"], folder).contains("there is no owner ann"))
        #expect(server.end() == 0)
    }

    private func asUser(_ arguments: [String], _ folder: String) throws -> String {
        try fixture.runAsUser(arguments, folder)
    }
}
