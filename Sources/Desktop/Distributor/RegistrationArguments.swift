import Base
import Bus
package import WebPush

/// The checked arguments of `Register`; all must be right.
struct RegistrationArguments: Equatable {
    let service: String
    let token: String
    let description: String
    let applicationKey: ApplicationKey?
    let version: ConnectorVersion

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
