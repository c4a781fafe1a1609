import Base
package import Bus
package import WebPush

/// The distributor's object on the bus. It passes calls on and answers none itself.
final class DistributorObject: BusObject {
    static let path = "/org/unifiedpush/Distributor"
    static let first = "org.unifiedpush.Distributor1"
    static let second = "org.unifiedpush.Distributor2"

    let interfaces = [
        BusInterface(
            first,
            methods: [
                .init(
                    "Register",
                    [.init("service", "s"), .init("token", "s"), .init("description", "s")],
                    output: [.init("result", "s"), .init("reason", "s")]),
                .init("Unregister", [.init("token", "s")], isAnswered: false),
            ]),
        BusInterface(
            second,
            methods: [
                .init("Register", [.init("args", "a{sv}")], output: [.init("result", "a{sv}")]),
                .init("Unregister", [.init("args", "a{sv}")], output: [.init("result", "a{sv}")]),
            ]),
    ]
    private let receive: (BusCall) -> Void

    init(_ receive: @escaping (BusCall) -> Void) { self.receive = receive }

    func called(_ call: BusCall) { receive(call) }
}

extension BusCall {
    var version: ConnectorVersion { interface == DistributorObject.first ? .one : .two }

    func answer(_ answer: RegisterAnswer) {
        let (result, reason) =
            switch answer {
            case .registered: ("REGISTRATION_SUCCEEDED", "")
            case .failed(let failure): ("REGISTRATION_FAILED", failure.rawValue)
            }
        guard version == .two else { return reply([.string(result), .string(reason)]) }
        let members: [(String, BusValue)] = [("success", .string(result))]
        let reasons: [(String, BusValue)] = reason.isEmpty ? [] : [("reason", .string(reason))]
        reply([.options(members + reasons)])
    }
}

/// The answer to `Register`.
package enum RegisterAnswer: Equatable, Sendable {
    case registered
    case failed(RegistrationFailure)
}

/// Why an application got no endpoint, in the words of the UnifiedPush specification.
package enum RegistrationFailure: String, Sendable {
    /// A later attempt may work.
    case `internal` = "INTERNAL_ERROR"
    /// The user has to do something first, such as naming a receiver.
    case actionRequired = "ACTION_REQUIRED"
    case unauthorized = "UNAUTHORIZED"
}

/// The checked arguments of `Register`; all must be right.
struct RegistrationArguments: Equatable {
    let service: String
    let token: String
    let description: String
    let applicationKey: ApplicationKey?
    var version: ConnectorVersion

    /// Limits of the UnifiedPush specification, in bytes.
    static let tokenLimit = 100
    static let descriptionLimit = 100
    /// The limit of bus names (D-Bus specification), used for any other text as well.
    static let serviceLimit = 255

    /// The three strings of the first generation.
    init?(_ arguments: [BusValue]) {
        guard arguments.count == 3, let service = arguments[0].text,
            let token = arguments[1].text, let description = arguments[2].text
        else { return nil }
        self.init(service, token, description, nil, .one)
    }

    /// The dictionary of the second generation.
    init?(options: BusValue?) {
        guard let members = options?.members, let service = members["service"]?.text,
            let token = members["token"]?.text
        else { return nil }
        var key: ApplicationKey?
        if let text = members["vapid"] {
            guard let made = text.text.flatMap({ ApplicationKey($0) }) else { return nil }
            key = made
        }
        // Another type is an error.
        let description = members["description"].map { $0.text } ?? ""
        guard let description else { return nil }
        self.init(service, token, description, key, .two)
    }

    private init?(
        _ service: String, _ token: String, _ description: String, _ key: ApplicationKey?,
        _ version: ConnectorVersion
    ) {
        guard !service.isEmpty, service.utf8.count <= Self.serviceLimit, Self.isToken(token),
            description.utf8.count <= Self.descriptionLimit
        else { return nil }
        self.service = service
        self.token = token
        self.description = Printable.text(description)
        applicationKey = key
        self.version = version
    }

    /// Any printable text, even braces.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= tokenLimit
            && !text.unicodeScalars.contains(where: Printable.isUnsafe)
    }
}

/// A call of `Register` with checked arguments.
package struct RegisterCall: Equatable, Sendable, Confidential {
    package let key: ClientKey
    /// The bus name that gets the messages.
    package let service: String
    package let description: String
    package let applicationKey: ApplicationKey?
    package let version: ConnectorVersion
    /// A random id, in case a new channel is needed.
    package let channel: ChannelID

    package init(
        key: ClientKey, service: String, description: String, applicationKey: ApplicationKey?,
        version: ConnectorVersion, channel: ChannelID
    ) {
        self.key = key
        self.service = service
        self.description = description
        self.applicationKey = applicationKey
        self.version = version
        self.channel = channel
    }
}

extension KUnifiedPushFile.Entry {
    /// The arguments of `ImportRegistration`.
    package func options(isDryRun: Bool) throws(KUnifiedPushFile.Objection) -> BusValue {
        guard !service.isEmpty else { throw .noService }
        guard BusName.isValid(service), !BusName.isUnique(service) else { throw .badService }
        guard RegistrationArguments.isToken(token) else { throw .badToken }
        guard let version = UInt8(exactly: version), ConnectorVersion(rawValue: version) != nil
        else { throw .badVersion }
        var members: [(String, BusValue)] = [
            ("service", .string(service)), ("token", .string(token)),
            ("description", .string(shortDescription)), ("version", .uint32(UInt32(version))),
            ("dry-run", .boolean(isDryRun)),
        ]
        if !applicationKey.isEmpty {
            guard ApplicationKey(applicationKey) != nil else { throw .badKey }
            members.append(("vapid", .string(applicationKey)))
        }
        return .options(members)
    }

    /// Other distributors have no limit.
    private var shortDescription: String {
        var text = Printable.text(description)
        while text.utf8.count > RegistrationArguments.descriptionLimit { text.removeLast() }
        return text
    }
}
