import Foundation
import TestSupport
import Testing

@testable import Configuration

@Suite("The paths in units, samples and pages")
struct PathsTests {
    /// Every file that people install, copy from or read.
    private static let files = ["README.md", "Keys/README.md", "deploy", "docs"].flatMap { name in
        let path = Vectors.checkout.appending(path: name).path
        let inside = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
        return (inside ?? []).isEmpty ? [path] : (inside ?? []).map { "\(path)/\($0)" }
    }

    private static func texts() -> [(path: String, text: String)] {
        files.compactMap { path in
            (try? String(contentsOfFile: path, encoding: .utf8)).map { (path, $0) }
        }
    }

    private static let configuration = ConfigurationInput.defaultPath([:], isSystemService: true)
    private static let state = "/var/lib/bellwire"
    private static let backups = state + "-backups"

    @Test(
        "A path has one form",
        arguments: [
            ("[^\\s=#\"'`]*/s?bin/bellwire\\b", ["usr/bin/bellwire", "$prefix/bin/bellwire"]),
            ("/etc/[a-z/]*bellwire[a-z/.-]*\\.conf", [configuration ?? ""]),
            (
                "/var/lib/bellwire[a-z/-]*",
                [state, state + "/", state + "/keys", backups, backups + "/"]
            ),
        ])
    func forms(pattern: String, allowed: [String]) throws {
        let pattern = try Regex(pattern, as: Substring.self)
        var found = 0
        for (path, text) in Self.texts() {
            for match in text.matches(of: pattern) {
                found += 1
                #expect(
                    allowed.contains { match.output.hasSuffix($0) }, "\(match.output) in \(path)")
            }
        }
        #expect(found > 0)
    }

    @Test("The unit's folders are those of a system service, and of the commented defaults")
    func unit() throws {
        let unit = try text("deploy/systemd/bellwire.service").split(separator: "\n")
        #expect(unit.contains("StateDirectory=bellwire"))
        #expect(unit.contains("ConfigurationDirectory=bellwire"))
        let backup = try text("deploy/systemd/bellwire-backup.service").split(separator: "\n")
        #expect(backup.contains("StateDirectory=bellwire-backups"))
        #expect(backup.contains("Environment=BELLWIRE_STATE=%S/bellwire"))
        #expect(try text("docs/backup.md").contains("`\(Self.backups)`"))
        #expect(try text("deploy/systemd/bellwire-sysusers.conf").contains(" \(Self.state)\n"))
        let service = try ServerConfiguration(
            ConfigurationInput(environment: ["STATE_DIRECTORY": Self.state]))
        let sample = CommentedConfiguration.text.split(separator: "\n")
        #expect(sample.contains("#state = \(service.state)"))
        #expect(sample.contains("#keys = \(service.keys)"))
        let home = try ServerConfiguration(ConfigurationInput(environment: ["HOME": "~"]))
        let page = try text("README.md")
        #expect(page.contains("`\(home.state)`") && page.contains("`\(home.keys)`"))
        #expect(try text("docs/keys.md").contains("`\(home.keys)`"))
        #expect(try text("docs/keys.md").contains("`\(service.keys)`"))
    }

    @Test("No page that comes with a package names the folder of keys in a checkout")
    func keys() {
        let texts = Self.texts().filter { path, _ in
            // Why something was decided is told to developers.
            path.hasSuffix(".md") && !path.hasSuffix("Keys/README.md")
                && !path.contains("/docs/decisions/") || path.contains("/systemd/")
        }
        #expect(texts.count > 50)
        for (path, text) in texts { #expect(!text.contains("Keys/"), "\(path)") }
    }

    @Test("The configuration in server.md is whole, has five lines, and lets no strangers in")
    func wholeConfiguration() throws {
        let page = try text("docs/server.md")
        let start = try #require(page.range(of: "This is a whole `/etc/bellwire/bellwire.conf`:"))
        let lines = page[start.upperBound...].drop { $0 == "\n" }
            .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        #expect(lines.count == 5 && lines.allSatisfy { $0.hasPrefix("    ") })
        var input = ConfigurationInput(environment: ["STATE_DIRECTORY": Self.state])
        input.file = ConfigurationInput.File(
            path: Self.configuration ?? "",
            bytes: Array(lines.map { $0.dropFirst(4) }.joined(separator: "\n").utf8))
        let configuration = try ServerConfiguration(input)
        #expect(configuration.baseURL?.description == "https://push.example.org")
        #expect(configuration.certificate != nil && configuration.values.isOn(.localUsers))
        #expect(configuration.registration == .token)
        #expect(configuration.nameWithoutCertificate(on: "push.example.org") == nil)
    }

    @Test("README's first command starts the service, and its tests are for developers")
    func commands() throws {
        let parts = try text("README.md").components(separatedBy: "\n## ")
        func commands(_ title: String) -> [String] {
            let part = parts.first { $0.hasPrefix(title + "\n") } ?? ""
            return part.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { line in
                line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            }
        }
        #expect(
            commands("Try it") == [
                "deploy/run", "export PATH=$PWD/.build/release:$PATH", "bellwire topic add builds",
            ])
        #expect(commands("For developers") == ["deploy/test"])
    }

    @Test("Troubles are grouped by where one stands")
    func troubles() throws {
        let parts = try text("docs/troubleshooting.md").components(separatedBy: "\n## ")
        #expect(
            parts.dropFirst().map { String($0.prefix { $0 != "\n" }) } == [
                "Starting", "Sending", "Nothing on the screen", "Browsers and other clients",
                "Cluster",
            ])
        for part in parts.dropFirst() { #expect(part.components(separatedBy: "\n| ").count > 5) }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Vectors.checkout.appending(path: name), encoding: .utf8)
    }
}
