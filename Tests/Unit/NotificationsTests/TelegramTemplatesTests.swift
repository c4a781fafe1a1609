import Foundation
import TestSupport
import Testing
@testable import Notifications

@Suite("Telegram's documented sentences")
struct TelegramTemplatesTests {
    private static let rows: [[String]] = {
        let text = try? String(
            contentsOf: Vectors.folder.appending(path: "telegram-loc-keys.tsv"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }()

    @Test("All 178 rows give their sentence with its arguments filled in")
    func rows() throws {
        #expect(Self.rows.count == 178)
        var seen: Set<String> = []
        for row in Self.rows {
            let names = row[2].isEmpty ? [] : row[2].split(separator: ";").map(String.init)
            let isSecond = !seen.insert(row[0]).inserted
            var expected = row[1].components(separatedBy: " (comment:")[0]
            for (index, name) in names.enumerated() {
                expected = expected.replacingOccurrences(of: "{\(index + 1)}", with: name)
            }
            let parts = expected.split(separator: "|", maxSplits: 1).map(String.init)
            let text = try #require(
                TelegramTemplates.english.text(row[0], names, inGroup: isSecond))
            #expect(text.body == parts.last)
            #expect(text.title == (parts.count == 2 ? parts[0] : nil))
        }
    }

    @Test(
        "Braces without a number from 1 on are left as they are",
        arguments: ["{", "a{b}c", "{0}", "{-9223372036854775808}", "{1", "{99999999999999999999}"])
    func braces(template: String) {
        #expect(TemplateText(template[...]).filled(["x"]) == template)
        #expect(TemplateText("\(template) {1}").filled(["x"]) == "\(template) x")
    }

    @Test("Missing arguments become empty, and no placeholder is left")
    func missing() {
        for row in Self.rows {
            let text = TelegramTemplates.english.text(row[0], [], inGroup: true)
            #expect(text?.body.contains("{") == false)
        }
    }
}
