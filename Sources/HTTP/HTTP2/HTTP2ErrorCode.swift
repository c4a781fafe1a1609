/// Why a stream or a connection ends (RFC 9113 section 7); a peer may send numbers without a name.
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
