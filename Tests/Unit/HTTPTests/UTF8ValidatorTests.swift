import TestSupport
import Testing

@testable import HTTP

@Suite("UTF-8 in pieces")
struct UTF8ValidatorTests {
    @Test(
        "Invalid text fails at its first invalid byte, wherever it is cut",
        arguments: ConformanceText.all)
    func table(text: ConformanceText) {
        for cut in 0...text.bytes.count {
            var validator = UTF8Validator()
            let isGood =
                Self.accepts(text.bytes[..<cut], &validator)
                && Self.accepts(text.bytes[cut...], &validator)
            switch text.verdict {
            case .valid: #expect(isGood && validator.isAtBoundary)
            case .truncated: #expect(isGood && !validator.isAtBoundary)
            case .bad: #expect(!isGood)
            }
        }
        guard case .bad(let place) = text.verdict else { return }
        var validator = UTF8Validator()
        let isGoodBefore = Self.accepts(text.bytes[..<place], &validator)
        let isGoodThere = Self.accepts(text.bytes[place...place], &validator)
        #expect(isGoodBefore && !isGoodThere)
    }

    private static func accepts(_ bytes: ArraySlice<UInt8>, _ validator: inout UTF8Validator)
        -> Bool
    {
        let piece = Array(bytes)
        return validator.check(piece.span)
    }

    @Test(
        "Sequences of two bytes, and relevant ones of three and four, are judged as Swift does"
    )
    func exhaustive() {
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max { compare([first, second]) }
        }
        for first in edges {
            for second in edges {
                for third in edges {
                    compare([first, second, third])
                    for fourth in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
                        compare([first, second, third, fourth])
                    }
                }
            }
        }
    }

    private func compare(_ bytes: [UInt8]) {
        var validator = UTF8Validator()
        let isValid = validator.check(bytes.span) && validator.isAtBoundary
        guard isValid != (String(validating: bytes, as: UTF8.self) != nil) else { return }
        Issue.record("\(bytes) judged \(isValid)")
    }
}
