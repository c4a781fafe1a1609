import Base
import Bus
import Testing

@testable import Desktop

@Suite("KUnifiedPush's registrations")
struct KUnifiedPushFileTests {
    private static let key: String = Stage.key

    /// As KUnifiedPush's distributor writes it.
    static let text = """
        [Autopush]
        Url=https://push.services.mozilla.com

        [Autopush-internal]
        UAID=0123

        [Clients]
        Tokens="{1b0c-1}", second, odd

        [PushProvider]
        Type=Autopush

        [%7B1b0c-1%7D]
        Description=NeoChat, for chats
        Endpoint=https://updates.push.services.mozilla.com/wpush/v1/secret
        RemoteId=8f2a
        ServiceName=org.kde.neochat
        VAPIDKey=
        Version=1

        [second]
        Description=Tokodon
        Endpoint=https://updates.push.services.mozilla.com/wpush/v2/secret
        RemoteId=8f2b
        ServiceName=org.kde.tokodon
        VAPIDKey=\(key)
        Version=2

        """

    private func file(_ text: String = text) throws -> KUnifiedPushFile {
        try #require(KUnifiedPushFile(Array(text.utf8)))
    }

    private func entry(
        token: String = "t", service: String = "org.example.App", key: String = "",
        version: String = "2", description: String = "An app"
    ) throws -> KUnifiedPushFile.Entry {
        let file = try file(
            """
            [Clients]
            Tokens=\(token)
            [\(token)]
            ServiceName=\(service)
            VAPIDKey=\(key)
            Version=\(version)
            Description=\(description)
            """)
        return try #require(file.entries.first)
    }

    @Test("Tokens, names, keys and versions are read as they were written")
    func read() throws {
        let file = try file()
        #expect(file.provider == "Autopush" && file.entries.count == 3)
        let first = file.entries[0]
        #expect(first.token == "{1b0c-1}" && first.service == "org.kde.neochat")
        #expect(first.description == "NeoChat, for chats" && first.version == 1)
        let options = try first.options(isDryRun: false).members
        #expect(options?["token"]?.text == "{1b0c-1}" && options?["version"]?.integer == 1)
        #expect(options?["vapid"] == nil && options?["dry-run"]?.flag == false)
        let second = try file.entries[1].options(isDryRun: true).members
        #expect(second?["vapid"]?.text == Self.key && second?["dry-run"]?.flag == true)
        #expect(throws: KUnifiedPushFile.Objection.noService) {
            try file.entries[2].options(isDryRun: false)
        }
    }

    @Test("What cannot be taken over is named")
    func objections() throws {
        func objection(_ entry: KUnifiedPushFile.Entry) -> KUnifiedPushFile.Objection? {
            do throws(KUnifiedPushFile.Objection) {
                _ = try entry.options(isDryRun: false)
                return nil
            } catch {
                return error
            }
        }
        #expect(objection(try entry()) == nil)
        #expect(objection(try entry(service: "")) == .noService)
        #expect(objection(try entry(service: "no bus name")) == .badService)
        #expect(objection(try entry(service: "\":1.5\"")) == .badService)
        #expect(objection(try entry(token: String(repeating: "t", count: 101))) == .badToken)
        #expect(objection(try entry(key: "BAAA")) == .badKey)
        #expect(objection(try entry(version: "3")) == .badVersion)
        #expect(objection(try entry(version: "1000")) == .badVersion)
        // A first version of the distributor did not write it.
        #expect(try entry(version: "").version == 1)
    }

    @Test("A long description is cut, and not a reason to refuse")
    func description() throws {
        let entry = try entry(description: String(repeating: "é", count: 80))
        let text = try entry.options(isDryRun: false).members?["description"]?.text
        #expect(text == String(repeating: "é", count: 50))
    }

    @Test("A token that is listed twice counts once; other files are refused")
    func odd() throws {
        #expect(try file("[Clients]\nTokens=a, b, a\n").entries.map(\.token) == ["a", "b"])
        #expect(try file("[PushProvider]\nType=Ntfy\n").entries.isEmpty)
        #expect(KUnifiedPushFile(Array("[Unit]\nDescription=x\n".utf8)) == nil)
        #expect(KUnifiedPushFile([]) == nil)
    }

    @Test("Nothing secret is printed")
    func confidential() throws {
        #expect("\(try file())" == "<KUnifiedPushFile>")
        #expect(!String(reflecting: try file().entries[0]).contains("1b0c"))
    }
}
