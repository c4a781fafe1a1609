import Foundation
import TestSupport

/// What `bellwire COMMAND --help` prints, with its broken lines joined.
struct Help {
    struct Option {
        let name: String
        /// The option with its value.
        let term: String
        let help: String

        var takesValue: Bool { term.contains(" ") }
    }

    struct Example {
        let line: String
        let help: String
    }

    let forms: [String]
    let options: [Option]
    let examples: [Example]

    init(of command: String...) throws {
        let lines = try Program.run(command + ["--help"]).output.split(
            separator: "\n", omittingEmptySubsequences: false)
        forms = Self.rows(lines.prefix { !$0.isEmpty }.map { $0.dropFirst("usage: ".count) }, 0)
        options = Self.rows(Self.section("options:", of: lines), 2).map { row in
            let end = row.firstRange(of: "  ")?.lowerBound ?? row.endIndex
            return Option(
                name: String(row.dropFirst(2).prefix { $0 != " " }), term: String(row[..<end]),
                help: String(row[end...].drop { $0 == " " }))
        }
        examples = Self.rows(Self.section("examples:", of: lines), 2).compactMap { row in
            guard let end = row.range(of: "  ") else { return nil }
            return Example(
                line: String(row[..<end.lowerBound]), help: String(row[end.upperBound...]))
        }
    }

    /// What `bellwire --help` prints.
    struct Overview {
        let commands: [(name: String, summary: String)]
        let groups: [String]

        init() throws {
            let lines = try Program.run(["--help"]).output.split(
                separator: "\n", omittingEmptySubsequences: false)
            groups = lines.filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
            commands = groups.flatMap { group in
                Help.rows(Help.section(group + ":", of: lines), 2).compactMap { row in
                    guard let end = row.firstIndex(of: " ") else { return nil }
                    return (String(row[..<end]), String(row[end...].drop { $0 == " " }))
                }
            }
        }
    }

    private static func section(_ title: String, of lines: [Substring]) -> [Substring] {
        Array(lines.drop { $0 != title }.dropFirst().prefix { !$0.isEmpty })
    }

    /// A row begins with this many spaces; lines with more of them continue it.
    private static func rows(_ lines: [Substring], _ indent: Int) -> [String] {
        var rows: [String] = []
        for line in lines {
            let spaces = line.prefix { $0 == " " }.count
            if spaces == indent || rows.isEmpty {
                rows.append(String(line.dropFirst(indent)))
            } else {
                let last = rows[rows.count - 1]
                // What a term means may begin on the next line.
                let gap = last.contains("  ") || indent == 0 ? " " : "  "
                rows[rows.count - 1] = last + gap + line.dropFirst(spaces)
            }
        }
        return rows
    }
}
