import Base
import Bus

/// One method call to an application's connector.
package struct ConnectorCall: Equatable, Sendable, Confidential {
    package enum Content: Equatable, Sendable {
        case message([UInt8], id: String)
        case endpoint(String)
        /// In the first generation an empty token confirms that the application unregistered.
        case unregistered(isConfirmation: Bool)
    }

    package let destination: String
    package let token: String
    package let content: Content
    package let version: ConnectorVersion
    package let path: String
    package let startsService: Bool

    package static let usualPath = "/org/unifiedpush/Connector"
    /// Some connectors export their object here.
    package static let rootPath = "/"
}

/// The two generations of the UnifiedPush interfaces. The numbers are stored.
package enum ConnectorVersion: UInt8, Sendable {
    case one = 1
    case two = 2

    package var other: ConnectorVersion { self == .one ? .two : .one }
}

/// The D-Bus form of a call in both generations of the interface.
extension ConnectorCall {
    var message: BusMethodCall {
        let interface =
            version == .one ? "org.unifiedpush.Connector1" : "org.unifiedpush.Connector2"
        return BusMethodCall(
            to: destination, path: path, interface: interface, member: member,
            version == .one ? strings : [options], startsService: startsService)
    }

    private var member: String {
        switch content {
        case .message: "Message"
        case .endpoint: "NewEndpoint"
        case .unregistered: "Unregistered"
        }
    }

    private var strings: [BusValue] {
        switch content {
        case .message(let body, let id): [.string(token), .bytes(body), .string(id)]
        case .endpoint(let endpoint): [.string(token), .string(endpoint)]
        case .unregistered(let isConfirmation): [.string(isConfirmation ? "" : token)]
        }
    }

    private var options: BusValue {
        var members: [(String, BusValue)] = [("token", .string(token))]
        switch content {
        case .message(let body, let id):
            members.append(("message", .bytes(body)))
            if !id.isEmpty { members.append(("id", .string(id))) }
        case .endpoint(let endpoint): members.append(("endpoint", .string(endpoint)))
        case .unregistered: break
        }
        return .options(members)
    }
}
