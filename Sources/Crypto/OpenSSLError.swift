import COpenSSL
package import WebPush

/// A call of OpenSSL that failed independently of the input: memory, missing algorithm, misuse.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: UInt

    /// Takes the first error of this thread's queue and empties the queue.
    init(_ call: StaticString) { self.init(call, code: ERR_get_error()) }

    private init(_ call: StaticString, code: UInt) {
        self.call = "\(call)"
        self.code = code
        ERR_clear_error()
    }

    /// Whether OpenSSL took the input. Without memory it also rejects the best of inputs, at times
    /// without a reason. `givesReason`: it has one for each bad input.
    static func isTaken(
        _ result: Int32, _ call: StaticString, givesReason: Bool = true
    ) throws(OpenSSLError) -> Bool {
        guard result != 1 else { return true }
        let first = ERR_peek_error()
        guard result == 0, first != 0 || !givesReason else { throw OpenSSLError(call) }
        while true {
            let code = ERR_get_error()
            if code == 0 { return false }
            guard ERR_FATAL_ERROR(code) == 0 else { throw OpenSSLError(call, code: code) }
        }
    }

    package var description: String {
        guard let reason = ERR_reason_error_string(code) else { return "\(call) failed" }
        return "\(call) failed: \(String(cString: reason))"
    }
}

/// Turns OpenSSL's "1 is success" into a thrown error and drains the error queue.
@inline(__always)
func ensure(_ result: Int32, _ call: StaticString) throws(OpenSSLError) {
    guard result == 1 else { throw OpenSSLError(call) }
}

/// Does the same for calls that return a handle.
@inline(__always)
func ensure(_ handle: OpaquePointer?, _ call: StaticString) throws(OpenSSLError) -> OpaquePointer {
    guard let handle else { throw OpenSSLError(call) }
    return handle
}

/// Why an operation on foreign input failed: because of the input, or because of our machine.
///
/// The difference decides the answer: after a refusal the sender has to change something and may
/// forget the endpoint; after a fault of ours it must send the push again.
package enum CryptoError<Refusal: Error & Equatable>: Error, Equatable {
    case refusal(Refusal)
    case fault(OpenSSLError)

    /// Turns the error of a specification's rule into `refused`.
    static func refusing<Result: ~Copyable>(
        _ rule: () throws(Refusal) -> Result
    ) throws(Self) -> Result {
        do throws(Refusal) { return try rule() } catch { throw .refusal(error) }
    }
}

package typealias DecryptionError = CryptoError<DecryptionRefusal>
package typealias VAPIDError = CryptoError<VAPIDRefusal>

package enum OpenSSLLibrary {
    /// The version of OpenSSL, as OpenSSL reports it.
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
