import CSystemd
import Glibc

/// A call of sd-bus that failed on this side.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    /// An errno value.
    package let code: Int32

    init(_ call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Turns sd-bus's negative errno into a thrown error.
@discardableResult
func ensure(_ result: Int32, _ call: StaticString) throws(BusError) -> Int32 {
    guard result >= 0 else { throw BusError(call, code: -result) }
    return result
}

/// The pointer that a successful call has set.
func ensure(
    _ result: Int32, _ pointer: OpaquePointer?, _ call: StaticString
) throws(BusError) -> OpaquePointer {
    try ensure(result, call)
    guard let pointer else { throw BusError(call, code: ENOMEM) }
    return pointer
}

extension BusError {
    var isDisconnection: Bool { [ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN].contains(code) }
}
