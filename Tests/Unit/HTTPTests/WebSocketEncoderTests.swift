import TestSupport
import Testing

@testable import HTTP

@Suite("WebSocket encoder")
struct WebSocketEncoderTests {
    static let lengths = [0, 1, 7, 8, 9, 125, 126, 127, 65535, 65536, 65537]

    @Test("An independent reader reads what the server writes", arguments: lengths)
    func server(length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var output: [UInt8] = [0xAA]
        WebSocketEncoder().append(.binary, payload.span, to: &output)
        #expect(output == [0xAA] + ConformanceFrame(2, payload).bytes(masked: false))
    }

    @Test("A client masks each frame with a key of its own", arguments: lengths)
    func client(length: Int) {
        let keys = KeySequence()
        let encoder = WebSocketEncoder(maskingKeys: { keys.next() })
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var output: [UInt8] = []
        encoder.append(.binary, payload.span, to: &output)
        encoder.append(.ping, [1, 2, 3].span, to: &output)
        let mask = output.count - 3 - 4
        #expect(Array(output[mask..<mask + 4]) == [2, 0, 0, 0])
        var rest = output[...]
        for expected in [ConformanceFrame(2, payload), ConformanceFrame(9, [1, 2, 3])] {
            let read = ConformanceFrame.take(from: &rest)
            #expect(read?.frame == expected)
            #expect(read?.masked == true)
        }
        #expect(rest.isEmpty)
    }

    @Test(
        "A payload written in place gives the same frame, whatever its expected length",
        arguments: lengths)
    func inPlace(length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        for expected in Self.lengths {
            for encoder in [WebSocketEncoder(), WebSocketEncoder(maskingKeys: { 0x0403_0201 })] {
                var whole: [UInt8] = [0xAA]
                encoder.append(.text, payload.span, to: &whole)
                var output: [UInt8] = [0xAA]
                encoder.append(.text, expecting: expected, to: &output) { output in
                    for byte in payload { output.append(byte) }
                }
                #expect(output == whole)
            }
        }
    }

    @Test("A close reason is cut between characters to fit")
    func longReason() {
        var output: [UInt8] = []
        let reason = String(repeating: "ä", count: 100)
        WebSocketEncoder().append(WebSocketClose(code: .goingAway, reason: reason), to: &output)
        let cut = Array(String(repeating: "ä", count: 61).utf8)
        #expect(output == ConformanceFrame.close(1001, cut).bytes(masked: false))
    }

    @Test("A mask continues where the last piece ended", arguments: 0..<40)
    func maskInPieces(cut: Int) {
        let key: [UInt8] = [1, 2, 4, 8]
        var bytes = [UInt8](repeating: 0, count: 40)
        var mask = WebSocketMask(key: 0x0804_0201)
        var span = bytes.mutableSpan
        mask.apply(to: &span, in: 0..<cut)
        mask.apply(to: &span, in: cut..<40)
        #expect(bytes == (0..<40).map { key[$0 & 3] })
    }
}
