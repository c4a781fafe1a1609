/// Why a connection is closed (RFC 6455 section 7.4 and IANA's register).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of data that the application does not take.
    package static let unacceptable = Self(rawValue: 1003)
    package static let invalidPayload = Self(rawValue: 1007)
    package static let messageTooBig = Self(rawValue: 1009)

    /// Whether the code may stand in a close frame. 1004 is reserved; 1005, 1006 and 1015 are names
    /// for what a program sees, never sent; 1016 to 2999 are left to later standards.
    package var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
