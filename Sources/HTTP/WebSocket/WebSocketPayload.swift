/// The bytes of a message: where they lie in the caller's buffer, or gathered from several pieces.
package enum WebSocketPayload: Equatable, Sendable {
    case inPlace(Range<Int>)
    case gathered([UInt8])

    /// `buffer` is the one that was decoded, not yet reused.
    package func withSpan<Result: ~Copyable, Failure>(
        in buffer: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .inPlace(let range): try body(buffer.extracting(range))
        case .gathered(let bytes): try body(bytes.span)
        }
    }
}
