import Crypto
import Foundation
import TestSupport
import Testing

@testable import Base

@Suite("QR codes")
struct QRCodeTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let text: String?
        let `repeat`: Repeated?
        let version: Int
        let mask: Int
        let rows: [String]?
        let sha256: String

        struct Repeated: Decodable, Sendable {
            let letter: String
            let count: Int

            init(from decoder: any Decoder) throws {
                var parts = try decoder.unkeyedContainer()
                letter = try parts.decode(String.self)
                count = try parts.decode(Int.self)
            }
        }

        var bytes: [UInt8] {
            let text = text ?? `repeat`.map { String(repeating: $0.letter, count: $0.count) } ?? ""
            return Array(text.utf8)
        }

        var testDescription: String { "version \(version), mask \(mask)" }
    }

    private struct File: Decodable { let cases: [Case] }

    static let cases = (try? Vectors.load(File.self, from: "qr-codes.json"))?.cases ?? []

    private static func rows(_ code: QRCode) -> [String] {
        (0..<code.size).map { row in
            (0..<code.size).map { code.isDark(row: row, column: $0) ? "1" : "0" }.joined()
        }
    }

    @Test("Every module is where another encoder puts it", arguments: cases)
    func modules(sample: Case) throws {
        let code = try #require(QRCode(sample.bytes, mask: sample.mask))
        let rows = Self.rows(code)
        #expect(code.size == 17 + 4 * sample.version)
        if let expected = sample.rows { #expect(rows == expected) }
        let text = Array(rows.joined().utf8)
        var hash = try SHA256()
        let digest = Digest(try hash.digest(of: text.span)).bytes
        #expect(digest.map { String(format: "%02x", $0) }.joined() == sample.sha256)
    }

    @Test("The mask with the lowest penalty is chosen")
    func choice() throws {
        let bytes = Array("https://push.example.org".utf8)
        let chosen = Self.rows(try #require(QRCode(bytes)))
        let all = try (0..<8).map { Self.rows(try #require(QRCode(bytes, mask: $0))) }
        #expect(all.contains(chosen) && Set(all).count == 8)
        let version = try #require(QRCodeVersion(holding: bytes.count))
        var grid = QRCodeGrid(version)
        grid.place(version.codewords(of: bytes))
        let penalties = (0..<8).map { grid.masked(by: $0).penalty }
        #expect(all.firstIndex(of: chosen) == penalties.firstIndex(of: penalties.min() ?? 0))
    }

    @Test("Penalties are those of the standard's four rules", arguments: [3, 40, 200])
    func penalties(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var grid = QRCodeGrid(try #require(QRCodeVersion(holding: length)))
        grid.place(try #require(QRCodeVersion(holding: length)).codewords(of: bytes))
        for mask in 0..<8 {
            let rows = Self.rows(try #require(QRCode(bytes, mask: mask))).map(Array.init)
            let lines = rows + rows[0].indices.map { column in rows.map { $0[column] } }
            let rules = lines.map(runs).reduce(0, +) + lines.map(finders).reduce(0, +)
            #expect(grid.masked(by: mask).penalty == rules + blocks(rows) + imbalance(rows))
        }
    }

    /// ISO/IEC 18004 section 7.8.3: 3 points for five equal modules in a line, and 1 for each more.
    private func runs(_ line: [Character]) -> Int {
        var lengths = [0]
        for (index, module) in line.enumerated() {
            if index > 0, line[index - 1] != module { lengths.append(0) }
            lengths[lengths.count - 1] += 1
        }
        return lengths.filter { $0 >= 5 }.map { $0 - 2 }.reduce(0, +)
    }

    /// 40 points for what looks like a finder beside four light modules.
    private func finders(_ line: [Character]) -> Int {
        let text = Array("0000" + String(line) + "0000")
        let likenesses = ["00001011101", "10111010000"].map(Array.init)
        let places = (0...text.count - 11).flatMap { start in
            likenesses.indices.filter { Array(text[start..<start + 11]) == likenesses[$0] }
                .map { start + 4 - 4 * $0 }
        }
        return 40 * Set(places).count
    }

    /// 3 points for four equal modules in a square.
    private func blocks(_ rows: [[Character]]) -> Int {
        var count = 0
        for (upper, lower) in zip(rows, rows.dropFirst()) {
            for column in 1..<upper.count {
                let four = [upper[column - 1], upper[column], lower[column - 1], lower[column]]
                if Set(four).count == 1 { count += 1 }
            }
        }
        return 3 * count
    }

    /// 10 points for each whole 5 % by which the dark modules are not half of all.
    private func imbalance(_ rows: [[Character]]) -> Int {
        let all = rows.flatMap { $0 }
        let share = 100 * Double(all.filter { $0 == "1" }.count) / Double(all.count)
        return 10 * Int(abs(share - 50) / 5)
    }

    @Test("All versions match another encoder, and one byte too many is refused")
    func limits() {
        #expect(Set(Self.cases.map(\.version)).count == 40)
        #expect(QRCode([UInt8](repeating: 1, count: 2954)) == nil)
    }

    @Test("A terminal gets two modules a character, with a quiet zone")
    func text() throws {
        let lines = try #require(QRCode([0x61])).text.split(separator: "\n")
        #expect(lines.count == 13 && lines.allSatisfy { $0.count == 25 })
        #expect(lines[0].allSatisfy { $0 == "█" })
        #expect(lines[1].hasPrefix("██ ▄▄▄▄▄ "))
    }
}
