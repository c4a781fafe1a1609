import Base
import CNghttp2

/// The number of a stream. Clients open odd ones.
package typealias HTTP2StreamID = Int32

/// The meaning of the next bytes of an HTTP/2 connection, or a change of a stream.
package enum HTTP2Event: Equatable, Sendable {
    /// All input is used up.
    case needsMore
    /// The session's `head` is complete and belongs to this stream until `next` is called again.
    /// The caller may now set the limit for the body.
    case head(HTTP2StreamID)
    /// The sender waits for status 100, and so far its body can be accepted.
    case continueExpected(HTTP2StreamID)
    /// A piece of a body, as a range of the input. The caller calls `consumed` when it has dealt
    /// with it.
    case body(HTTP2StreamID, Range<Int>)
    /// The request has ended.
    case end(HTTP2StreamID)
    /// The request is refused and brings no further events. It still needs an answer.
    case refused(HTTP2StreamID, HTTPRefusal)
    /// The answer was written completely before the request ended. Some senders read an answer only
    /// after they have sent everything, so the stream is not reset at once.
    case lingering(HTTP2StreamID)
    /// The exchange is complete, or one side gave the stream up. Work for it may stop.
    case closed(HTTP2StreamID, HTTP2ErrorCode)
    /// The peer wants to end the connection when all streams have ended (GOAWAY).
    case leaving
    /// Nothing more can be read from the connection, and all its streams have ended. The remaining
    /// output tells the peer why.
    case failed(HTTP2Failure)
}

/// A request and its answer on one stream.
struct HTTP2Exchange: Sendable {
    let stream: HTTP2StreamID
    let isHead: Bool
    /// How many bytes of body are still allowed.
    var bodyLeft: Int
    /// How much of the body is still to come, according to its Content-Length; negative if too much
    /// came.
    var announcedLeft: Int?
    /// Further events of the request are dropped: it was refused or answered.
    var dropsBody = false
    var isRequestWhole = false
    var isAnswered = false

    /// The body of the answer, and how much of it nghttp2 has taken.
    var answer: [UInt8] = []
    var sentBytes = 0
    /// More of the body may follow.
    var isStream = false

    var waitingBytes: Int { answer.count - sentBytes }

    /// A body without end must not grow without end while a peer reads slowly.
    mutating func append(_ bytes: Span<UInt8>) {
        if sentBytes > answer.count / 2 {
            answer.removeFirst(sentBytes)
            sentBytes = 0
        }
        answer.append(contentsOf: bytes)
    }

    /// Moves the next bytes of the body.
    mutating func read(into output: UnsafeMutableRawBufferPointer) -> HTTP2BodyPiece {
        let count = min(output.count, waitingBytes)
        guard count > 0 || !isStream else { return .notYet }
        answer.withUnsafeBytes { answer in
            output.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: answer[sentBytes..<sentBytes + count]))
        }
        sentBytes += count
        guard waitingBytes == 0 else { return .bytes(count, isLast: false) }
        (answer, sentBytes) = ([], 0)
        return .bytes(count, isLast: !isStream)
    }
}

/// What there is of a body for a frame.
enum HTTP2BodyPiece {
    case bytes(Int, isLast: Bool)
    /// More will be written later.
    case notYet
    /// The stream is gone.
    case none
}

/// The exchanges of a connection, sorted by stream: stream numbers only rise.
extension [HTTP2Exchange] {
    func index(of stream: HTTP2StreamID) -> Int? {
        var (start, end) = (0, count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle].stream < stream { start = middle + 1 } else { end = middle }
        }
        return start < count && self[start].stream == stream ? start : nil
    }
}

/// Why an HTTP/2 connection cannot continue.
package enum HTTP2Failure: Error, Equatable, Sendable {
    /// The first bytes were not HTTP/2 (RFC 9113 section 3.4). The peer gets no answer.
    case badPreface
    /// A forbidden frame, or a header block that cannot be decoded.
    case protocolError(HTTP2ErrorCode)
    case flood(HTTP2Flood)
    /// The server waited too long.
    case timeout
    /// Memory ran out.
    case fault

    /// The code sent to the peer.
    package var code: HTTP2ErrorCode {
        switch self {
        case .badPreface: .protocolError
        case .protocolError(let code): code
        case .flood, .timeout: .enhanceYourCalm
        case .fault: .internalError
        }
    }
}

/// Why a stream or connection ends (RFC 9113 section 7). A peer may send unassigned numbers.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
}

/// A failed call of nghttp2.
package struct HTTP2Fault: Error, Equatable, CustomStringConvertible {
    package let code: Int32
    private let call: String

    init(_ code: Int32, _ call: StaticString) {
        self.code = code
        self.call = "\(call)"
    }

    package var description: String { "\(call): \(String(cString: nghttp2_strerror(code)))" }
}

/// Turns a negative result of nghttp2 into a thrown error.
@discardableResult
func ensure(_ result: Int32, _ call: StaticString) throws(HTTP2Fault) -> Int32 {
    guard result >= 0 else { throw HTTP2Fault(result, call) }
    return result
}
