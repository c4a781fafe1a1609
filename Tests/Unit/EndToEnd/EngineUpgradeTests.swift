import Base
import Foundation
import TestSupport
import Testing

@Suite("Databases of bellwire engine by earlier programs")
struct EngineUpgradeTests {
    private static let source = Vectors.folder.appending(path: "Upgrades")

    /// Each holds two messages and a call as the account's state, and a third in the journal.
    private static var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: source.path)
        return (names ?? []).filter { $0.hasPrefix("engine-") }.sorted()
    }

    @Test("There is one for each store of an earlier program")
    func complete() throws {
        let all = try FileManager.default.contentsOfDirectory(atPath: Self.source.path)
        let stores = all.filter { $0.hasPrefix("mailbox-") }.map { $0.dropFirst(8) }
        // No program ended with the tenth schema: it is half of an upgrade.
        #expect(
            Self.names.map { $0.dropFirst(7) }.sorted()
                == stores.filter { $0 != "10.tar.gz" }.sorted())
    }

    @Test("State and journal are read", arguments: names)
    func opened(name: String) throws {
        let folder = try TemporaryFolder()
        let tar = try ServeFixture.output(
            "/usr/bin/tar",
            ["-xzf", Self.source.appending(path: name).path, "-C", folder.path, "--no-same-owner"])
        #expect(tar.isEmpty)
        chmod(folder.file("engine"), 0o700)
        // The second start reads what the first wrote.
        for _ in 0..<2 {
            let outcome = try Program.run(
                ["engine", "--database", folder.file("engine")],
                input: Data(
                    #"{"@type":"getOption","name":"notification_group_count_max","@extra":1}\#n"#
                        .utf8))
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n")
            let first = try JSONDocument(Array(try #require(lines.first).utf8)).root
            let groups = try #require(first["groups"]?.elements)
            let messages = try #require(groups.first { $0["chat_id"]?.integer == 5 })
            #expect(messages["total_count"]?.integer == 3)
            #expect(["one", "two", "three"].allSatisfy { lines[0].contains($0) })
            #expect(lines.last?.contains(#""value":"5""#) == true)
        }
    }
}
