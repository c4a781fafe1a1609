import COpenSSL

/// A call of OpenSSL that failed independently of the input: memory, missing algorithm, misuse.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: UInt

    /// Takes the first error of this thread's queue and empties the queue.
    init(_ call: StaticString) {
        self.call = "\(call)"
        code = ERR_get_error()
        ERR_clear_error()
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

/// For calls that return a handle.
@inline(__always)
func ensure(_ handle: OpaquePointer?, _ call: StaticString) throws(OpenSSLError) -> OpaquePointer {
    guard let handle else { throw OpenSSLError(call) }
    return handle
}
