import CSystemd
import Glibc

/// Why a method call failed.
package struct BusFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// For example `org.freedesktop.DBus.Error.ServiceUnknown`.
    package let name: String
    /// A text of the peer, which is not trusted, and never logged.
    package let text: String
    /// Nobody answered in the caller's time.
    package let isTimeout: Bool

    package init(name: String, text: String = "", isTimeout: Bool = false) {
        self.name = name
        self.text = text
        self.isTimeout = isTimeout
    }

    package var description: String { isTimeout ? "no reply in time" : name }

    /// The connection ended first.
    static let disconnected = BusFailure(name: BusErrorName.disconnected)
}

/// Errors of the bus and its libraries.
package enum BusErrorName {
    package static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    package static let noReply = "org.freedesktop.DBus.Error.NoReply"
    package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    package static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    package static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    package static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    package static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    package static let failed = "org.freedesktop.DBus.Error.Failed"
}

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
