/// Section 6: text must be UTF-8, whole and in every kind of pieces.
extension ConformanceCase {
    static let text: [Self] = ConformanceText.all.flatMap { text -> [Self] in
        let whole = [ConformanceFrame(1, text.bytes)]
        let bytewise = text.bytes.enumerated().map { index, byte in
            ConformanceFrame(index == 0 ? 1 : 0, [byte], isFinal: index == text.bytes.count - 1)
        }
        guard text.verdict != .valid else {
            let name = "6 \(text.name)"
            return [
                passes(name, whole, back: whole),
                passes("\(name), byte by byte", whole, back: whole).inPieces(of: 1),
                passes("\(name), a fragment for each byte", bytewise, back: whole),
            ]
        }
        let name = "6 invalid: \(text.name)"
        let cases: [Self] = [
            fails(name, whole, code: 1007),
            fails("\(name), a fragment for each byte", bytewise, code: 1007),
        ]
        guard case .bad(let place) = text.verdict else { return cases }
        return cases + [failsFast(name, text, at: place)]
    }

    /// The frame announces a hundred bytes that never come.
    private static func failsFast(_ name: String, _ text: ConformanceText, at place: Int) -> Self {
        let rest = [UInt8](repeating: 0x61, count: 100)
        var testCase = fails(
            "\(name), before the rest comes", [ConformanceFrame(1, text.bytes + rest)], code: 1007)
        testCase.failsWithin = place + 1
        return testCase
    }
}
