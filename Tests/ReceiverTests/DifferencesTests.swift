import Foundation
import TestSupport
import Testing

@Suite("The table of differences")
struct DifferencesTests {
    @Test("Each row names tests that there are")
    func rows() throws {
        let tests = Vectors.folder.deletingLastPathComponent()
        let table = tests.deletingLastPathComponent().appending(
            path: "docs/autopush-differences.md")
        let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.dropFirst(2)
        let sources = try Self.sources(in: tests)
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

    private static func sources(in folder: URL) throws -> String {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var text = ""
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            text += try String(contentsOf: file, encoding: .utf8)
        }
        return text
    }
}
