/// Section 7: the closing handshake.
extension ConformanceCase {
    static let closing: [Self] = handshakes + validCodes + invalidCodes + reasons

    private static let handshakes: [Self] = [
        closes(
            "7.1.1 message, then close", [.text("Hello"), .close(1000)], back: [.text("Hello")],
            answer: 1000),
        closes("7.1.2 two closes", [.close(1000), .close(1001)], answer: 1000),
        closes("7.1.3 ping behind close", [.close(1000), .ping("late")], answer: 1000),
        closes("7.1.4 text behind close", [.close(1000), .text("late")], answer: 1000),
        closes(
            "7.1.5 close inside a message, then its end",
            [.text("half", isFinal: false), .close(1000), .more("late", isFinal: true)],
            answer: 1000),
        closes(
            "7.1.6 garbage behind close",
            [.close(1000), ConformanceFrame(15).with { $0.reserved = 7 }], answer: 1000),
        closes(
            "7.1.7 256 KiB, then close", [filled(1, 1 << 18), .close(1000)],
            back: [filled(1, 1 << 18)], answer: 1000),
        closes("7.3.1 empty close", [.close(nil)], answer: nil),
        fails("7.3.2 close of one byte", [ConformanceFrame(8, [0x03])]),
        closes("7.3.3 close of two bytes", [.close(1000)], answer: 1000),
        closes("7.3.3 close byte by byte", [.close(1000)], answer: 1000).inPieces(of: 1),
        closes(
            "7.3.4 close with a reason", [.close(1000, Array("Hello World!".utf8))], answer: 1000),
        closes("7.3.5 close with the longest reason", [.close(1000, longestReason)], answer: 1000),
        closes(
            "7.3.5 close with the longest reason byte by byte", [.close(1000, longestReason)],
            answer: 1000
        ).inPieces(of: 1),
        fails("7.3.6 close of 126 bytes", [.close(1000, longestReason + [0x2A])]),
        fails(
            "7.3.6 close of 65,536 bytes", [.close(1000, [UInt8](repeating: 0x2A, count: 65534))]),
    ]

    private static let longestReason = [UInt8](repeating: 0x2A, count: 123)

    private static let validCodes: [Self] =
        ([UInt16](1000...1003) + [UInt16](1007...1014) + [3000, 3999, 4000, 4999]).map { code in
            closes("7.7 close with code \(code)", [.close(code)], answer: code)
        }

    private static let invalidCodes: [Self] =
        ([0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16])
        .flatMap { code in
            [
                fails("7.9 close with code \(code)", [.close(code)]),
                fails("7.9 close with code \(code) and a reason", [.close(code, [0x61])]),
            ]
        }

    private static let reasons: [Self] = ConformanceText.all.map { text in
        text.verdict == .valid
            ? closes("7.5 reason \(text.name)", [.close(1000, text.bytes)], answer: 1000)
            : fails("7.5 reason invalid: \(text.name)", [.close(1000, text.bytes)], code: 1007)
    }
}
