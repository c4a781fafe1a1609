import Base

/// What a close frame says (RFC 6455 section 5.5.1).
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
        guard validator.accept(text), validator.isAtBoundary else { throw .reasonEncoding }
        let reason = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        self.init(code: code, reason: reason)
    }

    /// The frame's payload; a longer reason is cut at a character, one without a code is left out.
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
