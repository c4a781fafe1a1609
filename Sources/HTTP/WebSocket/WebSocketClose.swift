/// The content of a close frame (RFC 6455 section 5.5.1).
package struct WebSocketClose: Equatable, Sendable {
    /// Nil if the frame was empty.
    package let code: WebSocketCloseCode?
    package let reason: String

    /// A control frame holds 125 bytes, two of them the code.
    package static let reasonLimit = 123

    package init(code: WebSocketCloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    init(payload: Span<UInt8>) throws(WebSocketFailure) {
        guard !payload.isEmpty else {
            self.init(code: nil)
            return
        }
        guard payload.count >= 2 else { throw .shortClose }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedInFrame else { throw .closeCode(code.rawValue) }
        let text = payload.extracting(2..<payload.count)
        var validator = UTF8Validator()
        guard validator.check(text), validator.isAtBoundary else { throw .reasonEncoding }
        let reason = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.init(code: code, reason: reason)
    }

    /// A longer reason is cut between characters; a reason without a code is left out.
    var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let utf8 = scalar.utf8
            guard bytes.count + utf8.count <= Self.reasonLimit + 2 else { break }
            bytes.append(contentsOf: utf8)
        }
        return bytes
    }
}

/// Why a connection is closed (RFC 6455 section 7.4 and IANA's register).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of data that the application does not accept.
    package static let unacceptable = Self(rawValue: 1003)
    package static let invalidPayload = Self(rawValue: 1007)
    package static let messageTooBig = Self(rawValue: 1009)

    /// Whether the code may be in a close frame. 1004 is reserved; 1005, 1006 and 1015 exist only
    /// inside programs; 1016 to 2999 are reserved for later standards.
    package var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
