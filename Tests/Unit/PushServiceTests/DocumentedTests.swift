import Foundation
import TestSupport
import Testing

@Suite("Tests that documents name")
struct DocumentedTests {
    private static func document(_ name: String) throws -> String {
        let file = Vectors.checkout.appending(path: "docs/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The source of each suite, by its name.
    private static func sources() throws -> [String: String] {
        let files = FileManager.default.enumerator(
            at: Vectors.checkout.appending(path: "Tests/Unit"), includingPropertiesForKeys: nil)
        var sources: [String: String] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let name = file.deletingPathExtension().lastPathComponent
            sources[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        return sources
    }

    @Test("Each difference from Mozilla's service names existing tests")
    func differences() throws {
        let rows = try Self.document("autopush-differences.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.dropFirst(2)
        let sources = try Self.sources().values.joined()
        #expect(rows.count > 20)
        for row in rows {
            let cell = row.split(separator: "|").last ?? ""
            let names = cell.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }
            #expect(!names.isEmpty, "\(row)")
            for name in names {
                #expect(sources.contains("\"\(name.element)\""), "\(name.element)")
            }
        }
    }

    @Test("Each paragraph about payloads names existing tests")
    func payloads() throws {
        let lines = try Self.document("protocol.md").split(separator: "\n")
        #expect(try namedTests(in: lines) > 100)
    }

    @Test("Each limit names existing tests")
    func bounds() throws {
        let lines = try Self.document("limits.md").split(separator: "\n")
        #expect(try namedTests(in: lines) > 30)
    }

    @Test(
        "What a page promises is checked by existing tests",
        arguments: [
            "engine.md", "registrations.md", "callbacks.md", "forwards.md", "threat-model.md",
        ])
    func promises(page: String) throws {
        let (text, title) = (try Self.document(page), "\n## Checked by\n")
        let start = try #require(text.range(of: title)?.upperBound)
        let rest = text[..<start].split(separator: "\n").filter { !$0.hasPrefix("|") }
        #expect(try namedTests(in: rest + text[start...].split(separator: "\n")) > 25)
    }

    @Test("docs/install.md builds the program with the options of the packages")
    func buildOptions() throws {
        func words(_ path: String, from start: String, to end: String) throws -> [Substring] {
            let file = Vectors.checkout.appending(path: path)
            let text = try String(contentsOf: file, encoding: .utf8)
            let begin = try #require(text.range(of: start)?.upperBound)
            let rest = text[begin...]
            return rest[..<(try #require(rest.range(of: end)?.lowerBound))]
                .split { $0.isWhitespace || $0 == "\\" }
        }
        let options = try words("deploy/lib/prepare.sh", from: "BUILD_OPTIONS=(", to: ")")
        let command = try words(
            "docs/install.md", from: "    swift build ", to: "--product bellwire")
        #expect(options.count > 5 && command == options)
    }

    /// How many tests these lines name. All must exist, and each table row must name one.
    private func namedTests(in lines: [Substring]) throws -> Int {
        let sources = try Self.sources()
        var count = 0
        for line in lines {
            let found = try Self.names(in: line)
            for (suite, function) in found {
                let isThere =
                    sources[suite]?.contains(try Regex(#"func \#(function)\("#)) ?? false
                #expect(isThere, "\(suite).\(function)")
            }
            count += found.count
            guard line.hasPrefix("| "), !line.hasPrefix("| ---"), !line.contains("| checked by |"),
                !line.contains("| request | what |")
            else { continue }
            #expect(!found.isEmpty, "\(line)")
        }
        return count
    }

    /// Finds `Suite.function`, and `.function`, which belongs to the suite named before it.
    private static func names(in line: Substring) throws -> [(suite: String, function: String)] {
        var suite = ""
        return line.matches(of: /`([A-Z]\w*Tests)?\.(\w+)`/).compactMap { match in
            if let name = match.1 { suite = String(name) }
            return suite.isEmpty ? nil : (suite, String(match.2))
        }
    }
}
