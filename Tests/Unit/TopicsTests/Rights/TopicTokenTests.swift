import Base
import Testing

@testable import Topics

@Suite("Tokens of topics and their terms")
struct TopicTokenTests {
    private static let small = "0123456789abcdefghijklmnopqrs"

    @Test("A new token has the form that programs check, and is read back")
    func made() throws {
        let zero = Bits128(high: 0, low: 0)
        let all = Bits128(high: .max, low: .max)
        for (form, start, length) in [
            (TopicToken.Form.access, "tk_", 32), (.application, "A", 15), (.client, "C", 15),
        ] {
            for bits in [zero, all, Bits128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98)] {
                let token = TopicToken(form, random: bits, bits)
                #expect(token.text.utf8.count == length && token.text.hasPrefix(start))
                #expect(TopicToken(token.text) == token && token.form == form)
            }
        }
        #expect(TopicToken(.application, random: zero, zero).text == "A00000000000000")
        let second = Bits128(high: 62, low: 61 + 62 * 62)
        #expect(TopicToken(.client, random: second, zero).text == "C01000000Z01000")
    }

    @Test("Each part of the random bits changes a token")
    func random() {
        let zero = Bits128(high: 0, low: 0)
        let changed = [Bits128(high: 1, low: 0), Bits128(high: 0, low: 1)]
        for form in TopicToken.Form.allCases {
            var seen: Set = [TopicToken(form, random: zero, zero).text]
            for bits in changed {
                seen.insert(TopicToken(form, random: bits, zero).text)
                if form == .access { seen.insert(TopicToken(form, random: zero, bits).text) }
            }
            #expect(seen.count == (form == .access ? 5 : 3))
        }
    }

    @Test(
        "What Gotify's and ntfy's servers have made is a token, too",
        arguments: [
            ("tk_" + small, TopicToken.Form.access), ("AbC.-_012345678", .application),
            ("CbC.-_012345678", .client),
        ])
    func others(_ text: String, _ form: TopicToken.Form) {
        #expect(TopicToken(text)?.form == form)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "tk_", "tk_" + small.dropLast(), "tk_" + small + "a", "TK_" + small,
            "tk_" + small.uppercased(), "tk-" + small, "A", "A0123456789012", "A012345678901234",
            "P01234567890123", "a01234567890123", "A0123456789012/", "A0123456789012é",
            "C0123456789 123",
        ])
    func none(_ text: String) { #expect(TopicToken(text) == nil) }

    @Test func isNotPrinted() throws {
        let token = try #require(TopicToken("A01234567890123"))
        #expect("\(token)" == "<TopicToken>")
        #expect("\(TokenTerms(.access, try #require(TopicPattern("build*"))))" == "<TokenTerms>")
    }

    @Test("A token made with a token can do no more, and no longer")
    func child() throws {
        let pattern = try #require(TopicPattern("build*"))
        let parent = TokenTerms(.access, pattern, [.read, .write], end: 100)
        let rows: [(TopicRights, Int64?, TopicRights, Int64?)] = [
            (.read, nil, .read, 100), (.read, 50, .read, 50), (.read, 150, .read, 100),
            ([.read, .answer], 100, .read, 100), ([.read, .write, .answer], nil, .usual, 100),
        ]
        for (asked, end, rights, last) in rows {
            let child = try #require(parent.child(.client, asked, end: end))
            #expect(child == TokenTerms(.client, pattern, rights, end: last))
        }
        #expect(parent.child(.access, .answer, end: nil) == nil)
        #expect(parent.child(.access, [], end: nil) == nil)
        #expect(TokenTerms(.access, pattern).child(.client, .read, end: nil)?.end == nil)
        #expect(TokenTerms(.access, pattern).child(.client, .read, end: 7)?.end == 7)
        #expect(TokenTerms(.application, pattern).child(.access, .write, end: nil) == nil)
    }

    @Test func end() throws {
        let pattern = try #require(TopicPattern("*"))
        let terms = TokenTerms(.access, pattern, end: 100)
        #expect(!terms.isOver(at: 99) && terms.isOver(at: 100))
        #expect(!TokenTerms(.access, pattern).isOver(at: .max))
    }

    @Test("Answering is in no token by default")
    func usual() { #expect(TopicRights.usual == [.read, .write]) }
}

@Suite("Patterns of topics")
struct TopicPatternTests {
    @Test(
        arguments: [
            ("builds", "builds", true), ("builds", "build", false), ("builds", "Builds", false),
            ("*", "x", true), ("build*", "build", true), ("build*", "builds-2", true),
            ("build*", "rebuild", false), ("*-ci", "a-b-ci", true), ("*-ci", "a-ci-b", false),
            ("a*b*c", "a-c-b-c", true), ("a*b*c", "a-c-b", false), ("**", "x", true),
            ("a**b", "ab", true), ("a,b*", "a", true), ("a,b*", "bc", true),
            ("a,b*", "c", false),
        ])
    func matches(_ pattern: String, _ name: String, _ isMatch: Bool) throws {
        let name = try #require(TopicName(name))
        #expect(try #require(TopicPattern(pattern)).matches(name) == isMatch)
    }

    @Test(
        arguments: [
            "", "a b", "a/b", "a?b", "ä", "a,", ",a", "a,,b", "a, b",
            String(repeating: "*", count: 65),
        ])
    func none(_ text: String) { #expect(TopicPattern(text) == nil) }

    @Test func longest() throws {
        let pattern = try #require(TopicPattern(String(repeating: "*", count: 64)))
        let name = try #require(TopicName("builds"))
        #expect(pattern.text == "*" && pattern.foresees(name))
        #expect(try #require(TopicPattern("builds")).foresees(name) == false)
        #expect(try #require(TopicPattern("builds,x*")).foresees(name) == false)
        let list = Array(repeating: "a", count: TopicPattern.longest / 2).joined(separator: ",")
        #expect(TopicPattern(list) != nil && TopicPattern(list + ",a") == nil)
    }

    @Test("All short patterns match what a plain model of them matches")
    func model() throws {
        func words(_ letters: [Character], to length: Int) -> [String] {
            var all = [""]
            var last = all
            for _ in 0..<length {
                last = last.flatMap { word in letters.map { word + String($0) } }
                all += last
            }
            return all.filter { !$0.isEmpty }
        }
        func matches(_ pattern: Substring, _ name: Substring) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            let rest = pattern.dropFirst()
            guard first == "*" else {
                return name.first == first && matches(rest, name.dropFirst())
            }
            return matches(rest, name) || !name.isEmpty && matches(pattern, name.dropFirst())
        }
        let names = words(["a", "b"], to: 5)
        for text in words(["a", "b", "*"], to: 5) {
            let pattern = try #require(TopicPattern(text))
            for name in names {
                let known = try #require(TopicName(name))
                #expect(pattern.matches(known) == matches(text[...], name[...]), "\(text) \(name)")
            }
        }
    }

    @Test("Many stars take few steps")
    func stars() throws {
        let pattern = try #require(TopicPattern(String(repeating: "*a", count: 31) + "*b"))
        let name = try #require(TopicName(String(repeating: "a", count: 64)))
        for _ in 0..<1_000 { #expect(!pattern.matches(name)) }
    }
}
