import CNghttp2

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
