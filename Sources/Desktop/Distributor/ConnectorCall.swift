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

/// The result of a call to a connector.
package enum ConnectorOutcome: Equatable, Sendable {
    /// The call returned, so the application has the message, whatever the answer.
    case taken
    /// The application does not run or does not answer; a later attempt may work.
    case unreachable(String)
    /// It has no such object, interface or method.
    case unsupported
    /// It does not know the token.
    case refused
    case failed

    init(_ reply: BusReply) {
        switch reply {
        case .success: self = .taken
        case .failure(let failure):
            let prefix = "org.freedesktop.DBus.Error."
            let word =
                failure.name.hasPrefix(prefix)
                ? String(failure.name.dropFirst(prefix.count)) : ""
            self.init(error: word)
        }
    }

    private init(error word: String) {
        switch word {
        case "ServiceUnknown", "NameHasNoOwner": self = .unreachable("it is not running")
        case "NoReply", "Disconnected": self = .unreachable("it ended without answering")
        case "TimedOut", "Timeout": self = .unreachable("it does not answer")
        case "LimitsExceeded", "NoMemory": self = .unreachable("too many messages wait on the bus")
        case "UnknownMethod", "UnknownInterface", "UnknownObject": self = .unsupported
        case "InvalidArgs": self = .refused
        case _ where word.hasPrefix("Spawn."): self = .unreachable("it cannot be started")
        default: self = .failed
        }
    }
}

/// Finds the bus name to call an application by.
///
/// Some connectors pass another name at `Register`. Then a name that the caller owns replaces it,
/// or the name of its connection.
enum ServiceLookup {
    static func service(
        _ given: String, of caller: String, _ sandbox: Sandbox, on bus: BusConnection,
        completion: @escaping (String) -> Void
    ) {
        guard BusName.isValid(given), !BusName.isUnique(given) else {
            // A caller may only name its own unique name.
            if given == caller { return completion(caller) }
            return ownName(of: caller, on: bus) { completion($0 ?? caller) }
        }
        bus.owner(of: given) { owner in
            let owner = try? owner.get()
            // A caller that may only speak for itself cannot get another program's messages.
            if let owner, !sandbox.speaksForItself || owner == caller { return completion(given) }
            bus.activatableNames { names in
                let isInstalled = (try? names.get())?.contains(given) ?? false
                if isInstalled, owner == nil, !sandbox.speaksForItself { return completion(given) }
                ownName(of: caller, on: bus) { completion($0 ?? caller) }
            }
        }
    }

    /// The first well-known name that a connection owns.
    private static func ownName(
        of caller: String, on bus: BusConnection, completion: @escaping (String?) -> Void
    ) {
        bus.names { reply in
            let names = ((try? reply.get()) ?? []).filter { !BusName.isUnique($0) }.sorted()
            find(names[...], of: caller, on: bus, completion: completion)
        }
    }

    private static func find(
        _ names: ArraySlice<String>, of caller: String, on bus: BusConnection,
        completion: @escaping (String?) -> Void
    ) {
        guard let name = names.first else { return completion(nil) }
        bus.owner(of: name) { owner in
            if case .success(let owner) = owner, owner == caller { return completion(name) }
            find(names.dropFirst(), of: caller, on: bus, completion: completion)
        }
    }
}
