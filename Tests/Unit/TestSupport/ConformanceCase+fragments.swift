/// Sections 5, 9 and 10: fragments, limits, automatic fragments.
extension ConformanceCase {
    static let fragments: [Self] =
        [
            fails(
                "5.1 ping in two fragments",
                [.ping("half").with { $0.isFinal = false }, .more("", isFinal: true)]),
            fails(
                "5.2 pong in two fragments",
                [.pong("half").with { $0.isFinal = false }, .more("", isFinal: true)]),
            fails("5.2 close in two fragments", [.close(1000).with { $0.isFinal = false }]),
            fails("5.9 continuation of nothing", [.more("stray", isFinal: true)]),
            fails("5.10 continuation of nothing, not final", [.more("stray"), .text("late")]),
            fails("5.11 empty continuation of nothing", [.more("", isFinal: true)]),
            fails(
                "5.12 continuation behind a whole message",
                [.text("whole"), .more("stray", isFinal: true)],
                back: [.text("whole")]),
            fails("5.18 text inside text", [.text("one", isFinal: false), .text("two")]),
            fails("5.18 binary inside text", [.text("one", isFinal: false), .binary([2])]),
            fails(
                "5.18 text inside binary",
                [.binary([1], isFinal: false), .text("two", isFinal: false)]),
            passes(
                "5.19 pings between and behind five fragments",
                [
                    .text("f1", isFinal: false), .more("f2"), .ping("p1"), .more("f3"), .more("f4"),
                    .ping("p2"), .more("f5", isFinal: true), .ping("p3"),
                ], back: [.pong("p1"), .pong("p2"), .text("f1f2f3f4f5"), .pong("p3")]),
            passes(
                "5.20 pong between fragments",
                [.text("f1", isFinal: false), .pong("x"), .more("f2", isFinal: true)],
                back: [.text("f1f2")]),
            passes(
                "5.21 two fragmented messages in a row",
                [
                    .text("a", isFinal: false), .more("b", isFinal: true),
                    .binary([1], isFinal: false),
                    ConformanceFrame(0, [2]),
                ], back: [.text("ab"), .binary([1, 2])]),
            closes(
                "5.22 close inside a message", [.text("half", isFinal: false), .close(1000)],
                answer: 1000),
        ] + [nil, 1].flatMap(wellFormedFragments)

    private static func wellFormedFragments(piece: Int?) -> [Self] {
        let suffix = piece.map { " in pieces of \($0)" } ?? ""
        let two: [ConformanceFrame] = [
            .text("fragment1", isFinal: false), .more("fragment2", isFinal: true),
        ]
        let whole: [ConformanceFrame] = [.text("fragment1fragment2")]
        let empty: [ConformanceFrame] = [
            .text("", isFinal: false), .more(""), .more("", isFinal: true),
        ]
        let middle: [ConformanceFrame] = [
            .text("", isFinal: false), .more("middle"), .more("", isFinal: true),
        ]
        let cases: [Self] = [
            passes("5.3 two fragments\(suffix)", two, back: whole),
            passes(
                "5.6 two fragments around a ping\(suffix)", [two[0], .ping("pong me"), two[1]],
                back: [.pong("pong me")] + whole),
            passes("5.13 three empty fragments\(suffix)", empty, back: [.text("")]),
            passes("5.14 empty fragments around one\(suffix)", middle, back: [.text("middle")]),
            passes(
                "5.15 binary in 200 fragments of one byte\(suffix)",
                (0..<200).map {
                    ConformanceFrame($0 == 0 ? 2 : 0, [UInt8($0)], isFinal: $0 == 199)
                }, back: [.binary((0..<200).map { UInt8($0) })]),
        ]
        return piece.map { piece in cases.map { $0.inPieces(of: piece) } } ?? cases
    }

    static let limits: [Self] =
        [
            passes("9.1 text of 1 MiB", [filled(1, messageLimit)], back: [filled(1, messageLimit)]),
            passes(
                "9.2 binary of 1 MiB", [filled(2, messageLimit)], back: [filled(2, messageLimit)]),
            fails("9.2 one byte over the limit", [filled(2, messageLimit + 1)], code: 1009),
            claim("9.2 header that says 1 MiB and a byte", UInt64(messageLimit) + 1, code: 1009),
            claim(
                "9.2 header that says 2 to the power of 63, less one", UInt64.max >> 1, code: 1009),
            claim("9.2 header whose length has the top bit set", 1 << 63, code: 1002),
            claim("9.2 header whose length has all bits set", .max, code: 1002),
            fails(
                "9.4 limit passed by the sum of fragments",
                [filled(2, messageLimit).with { $0.isFinal = false }, ConformanceFrame(0, [1])],
                code: 1009),
            passes(
                "9.4 limit reached by the sum of fragments",
                [
                    filled(2, messageLimit - 1).with { $0.isFinal = false },
                    ConformanceFrame(0, [0xFE]),
                ],
                back: [filled(2, messageLimit)]),
            fails(
                "9.4 sum of lengths that would overflow",
                [
                    ConformanceFrame(2, [1], isFinal: false),
                    ConformanceFrame(0, []).with { $0.lengthForm = .claiming(.max >> 1) },
                ], code: 1009),
        ]
        + [64, 1024, 16384].flatMap { length in
            [1, 2].map { opcode in
                passes(
                    "9.3 256 KiB of opcode \(opcode) in fragments of \(length)",
                    fragments(opcode, total: 1 << 18, of: length), back: [filled(opcode, 1 << 18)])
            }
        }
        + [128, 1000, 65536].map { length in
            passes(
                "9.5 256 KiB in pieces of \(length)", [filled(1, 1 << 18)],
                back: [filled(1, 1 << 18)]
            )
            .inPieces(of: length)
        }
        + [0, 16, 64, 256, 1024].map { length in
            let messages = [ConformanceFrame](repeating: filled(1, length), count: 100)
            return passes("9.7 a hundred messages of \(length) bytes", messages, back: messages)
        }

    private static func claim(_ name: String, _ length: UInt64, code: UInt16) -> Self {
        fails(
            name, [ConformanceFrame(2, []).with { $0.lengthForm = .claiming(length) }], code: code)
    }

    static let automaticFragments: [Self] = [1300, 65535].map { length in
        passes(
            "10.1 65,536 bytes in fragments of \(length)", fragments(1, total: 65536, of: length),
            back: [filled(1, 65536)])
    }

    private static func fragments(_ opcode: UInt8, total: Int, of length: Int) -> [ConformanceFrame]
    {
        stride(from: 0, to: total, by: length).map { start in
            filled(opcode, min(length, total - start)).with {
                $0.opcode = start == 0 ? opcode : 0
                $0.isFinal = start + length >= total
            }
        }
    }
}
