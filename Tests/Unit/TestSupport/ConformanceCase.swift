/// One case of WebSocket conformance: what is sent to an endpoint that echoes messages, and what
/// must come back. The sections are those of the Autobahn test suite.
///
/// Every case ends: by the closing handshake, or by the endpoint failing the connection. So it can
/// be run over a socket as well as against a codec.
package struct ConformanceCase: Sendable, CustomStringConvertible {
    package enum Ending: Equatable, Sendable {
        /// A close frame with this code came back, or an empty one.
        case closed(UInt16?)
        /// The endpoint sent a close frame with one of these codes, and nothing after it.
        case failed(Set<UInt16>)
    }

    package let name: String
    /// What is sent, frame by frame; after a failure the endpoint may not read the rest.
    package let sends: [ConformanceFrame]
    /// The bytes are passed in pieces of at most this size.
    package var pieceLength: Int?
    /// After this many bytes of payload of the last frame the endpoint must have failed, although
    /// the frame announces more.
    package var failsWithin: Int?
    package let expected: [ConformanceFrame]
    package let ending: Ending

    /// The limit that the endpoint must have.
    package static let messageLimit = 1 << 20

    package var description: String { name }

    /// Echoes and pongs come back, then `close 1000` is answered.
    package static func passes(
        _ name: String, _ sends: [ConformanceFrame], back expected: [ConformanceFrame]
    ) -> Self {
        Self(
            name: name, sends: sends + [.close(1000)], expected: expected, ending: .closed(1000))
    }

    package static func fails(
        _ name: String, _ sends: [ConformanceFrame], back expected: [ConformanceFrame] = [],
        code: UInt16 = 1002
    ) -> Self {
        Self(name: name, sends: sends, expected: expected, ending: .failed([code]))
    }

    package static func closes(
        _ name: String, _ sends: [ConformanceFrame], back expected: [ConformanceFrame] = [],
        answer: UInt16?
    ) -> Self {
        Self(name: name, sends: sends, expected: expected, ending: .closed(answer))
    }

    package func inPieces(of length: Int) -> Self {
        var copy = self
        copy.pieceLength = length
        return copy
    }

    /// The bytes to pass, in order.
    package func pieces(masked: Bool) -> [[UInt8]] {
        var frames = sends.map { $0.bytes(masked: masked) }
        if let failsWithin, let last = sends.last, let bytes = frames.popLast() {
            frames.append(Array(bytes.dropLast(last.payload.count - failsWithin)))
        }
        guard let pieceLength else { return frames }
        let bytes = frames.flatMap(\.self)
        return stride(from: 0, to: bytes.count, by: pieceLength).map {
            Array(bytes[$0..<min($0 + pieceLength, bytes.count)])
        }
    }

    package static let all =
        framing + pings + reservedBits + opcodes + fragments + text + closing + limits
        + automaticFragments
}
