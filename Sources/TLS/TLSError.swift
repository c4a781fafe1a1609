import COpenSSL

/// A failed call of OpenSSL, or of the socket under it.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    /// OpenSSL's packed code; 0 if the socket failed.
    package let code: UInt
    package let reason: String
    /// The connection ended without close_notify: a network failure, a killed peer, or an attacker
    /// who truncates the text.
    package let isAbruptEnd: Bool
    /// The peer's certificate was not accepted.
    package let isCertificateRefusal: Bool

    /// Takes the first error of this thread's queue and empties the queue.
    init(_ call: StaticString) {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) }
        self.init(call, code: code, reason: reason ?? "unknown reason")
    }

    /// `result` is one of OpenSSL's X509_V_ERR codes.
    init(_ call: StaticString, verification result: Int) {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = String(cString: X509_verify_cert_error_string(result))
        self.init(
            call, code: code, reason: "the certificate was refused: \(reason)",
            isCertificateRefusal: true)
    }

    /// The socket failed with this `errno`; 0 if it ended.
    init(_ call: StaticString, socketError number: Int32) {
        ERR_clear_error()
        self.call = "\(call)"
        code = 0
        reason = number == 0 ? "the connection ended" : String(cString: strerror(number))
        isAbruptEnd = number == 0 || number == ECONNRESET || number == EPIPE
        isCertificateRefusal = false
    }

    init(_ call: StaticString, _ flood: TLSFlood) {
        ERR_clear_error()
        self.init(call, code: 0, reason: "too many \(flood.word)")
    }

    private init(
        _ call: StaticString, code: UInt, reason: String, isCertificateRefusal: Bool = false
    ) {
        self.isCertificateRefusal = isCertificateRefusal
        self.call = "\(call)"
        self.code = code
        self.reason = reason
        isAbruptEnd = ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
    }

    /// The peer speaks HTTP without TLS.
    package var isPlainHTTP: Bool { ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST }

    package var description: String { "\(call): \(reason)" }
}

/// Turns OpenSSL's "1 is success" into a thrown error and drains the error queue.
func ensure(_ result: Int32, _ call: StaticString) throws(TLSError) {
    guard result == 1 else { throw TLSError(call) }
}

/// Does the same for calls that return a handle.
func ensure<Handle>(_ handle: Handle?, _ call: StaticString) throws(TLSError) -> Handle {
    guard let handle else { throw TLSError(call) }
    return handle
}
