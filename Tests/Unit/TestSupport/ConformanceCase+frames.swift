/// Sections 1 to 4: framing, pings and pongs, reserved bits, opcodes.
extension ConformanceCase {
    static func filled(_ opcode: UInt8, _ length: Int) -> ConformanceFrame {
        ConformanceFrame(opcode, [UInt8](repeating: opcode == 1 ? 0x2A : 0xFE, count: length))
    }

    static let framing = framing("1.1 text", 1) + framing("1.2 binary", 2)

    private static func framing(_ name: String, _ opcode: UInt8) -> [Self] {
        let lengths = [
            0, 1, 7, 8, 9, 124, 125, 126, 127, 128, 255, 256, 65534, 65535, 65536, 65537,
        ]
        let whole = lengths.map { length in
            let frame = filled(opcode, length)
            return passes("\(name) of \(length) bytes", [frame], back: [frame])
        }
        let pieces = [(125, 1), (126, 1), (126, 125), (65536, 997)].map { length, piece in
            let frame = filled(opcode, length)
            let name = "\(name) of \(length) bytes in pieces of \(piece)"
            return passes(name, [frame], back: [frame]).inPieces(of: piece)
        }
        let twoBytes = [0, 1, 125].map { length in
            fails(
                "\(name) of \(length) bytes with a length of two bytes",
                [filled(opcode, length).with { $0.lengthForm = .twoBytes }])
        }
        let eightBytes = [0, 125, 126, 65535].map { length in
            fails(
                "\(name) of \(length) bytes with a length of eight bytes",
                [filled(opcode, length).with { $0.lengthForm = .eightBytes }])
        }
        let masking = fails(
            "\(name) with the other side's masking",
            [filled(opcode, 5).with { $0.hasWrongMasking = true }])
        return whole + pieces + twoBytes + eightBytes + [masking]
    }

    static let pings: [Self] = {
        let binary = ConformanceFrame(9, [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF])
        let longest = String(repeating: "p", count: 125)
        let ten = (0..<10).map { "payload-\($0)" }
        return [
            passes("2.1 empty ping", [.ping("")], back: [.pong("")]),
            passes("2.2 small ping", [.ping("Hello")], back: [.pong("Hello")]),
            passes("2.3 ping that is no text", [binary], back: [binary.with { $0.opcode = 10 }]),
            passes("2.4 ping of 125 bytes", [.ping(longest)], back: [.pong(longest)]),
            fails("2.5 ping of 126 bytes", [.ping(longest + "p")]),
            fails("2.5 pong of 126 bytes", [.pong(longest + "p")]),
            fails("2.5 ping of 65,536 bytes", [filled(9, 65536)]),
            passes("2.6 ping of 125 bytes byte by byte", [.ping(longest)], back: [.pong(longest)])
                .inPieces(of: 1),
            passes("2.7 pong without a ping", [.pong("")], back: []),
            passes("2.8 pong without a ping, with payload", [.pong("unasked")], back: []),
            passes("2.9 pong, then ping", [.pong("unasked"), .ping("p")], back: [.pong("p")]),
            passes("2.10 ten pings", ten.map { .ping($0) }, back: ten.map { .pong($0) }),
            passes(
                "2.11 ten pings byte by byte", ten.map { .ping($0) }, back: ten.map { .pong($0) }
            )
            .inPieces(of: 1),
            passes(
                "2.12 ping and message", [.ping("p"), .text("t")], back: [.pong("p"), .text("t")]),
        ]
    }()

    static let reservedBits: [Self] = (1...7).flatMap { bits -> [Self] in
        let frames: [(String, ConformanceFrame)] = [
            ("text", .text("Hello")), ("binary", .binary([1, 2])), ("ping", .ping("p")),
            ("pong", .pong("")), ("close", .close(1000)),
        ]
        return frames.map { name, frame in
            fails(
                "3.\(bits) reserved bits \(bits) in a \(name) frame behind a good message",
                [.text("good"), frame.with { $0.reserved = UInt8(bits) }, .ping("late")],
                back: [.text("good")])
        }
    }

    static let opcodes: [Self] =
        [UInt8](3...7).map { ($0, "4.1") }.flatMap(reserved)
        + [UInt8](11...15).map { ($0, "4.2") }.flatMap(reserved)

    private static func reserved(_ opcode: UInt8, _ section: String) -> [Self] {
        [
            fails("\(section) opcode \(opcode)", [ConformanceFrame(opcode)]),
            fails(
                "\(section) opcode \(opcode) with payload behind a good message",
                [.text("good"), ConformanceFrame(opcode, [0x61]), .ping("late")],
                back: [.text("good")]),
            fails(
                "\(section) opcode \(opcode) inside a message",
                [.text("half", isFinal: false), ConformanceFrame(opcode, [0x61])]),
        ]
    }
}
