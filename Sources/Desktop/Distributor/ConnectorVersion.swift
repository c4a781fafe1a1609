/// The two generations of the UnifiedPush interfaces. The numbers are stored.
package enum ConnectorVersion: UInt8, Sendable {
    case one = 1
    case two = 2

    package var other: ConnectorVersion { self == .one ? .two : .one }
}
