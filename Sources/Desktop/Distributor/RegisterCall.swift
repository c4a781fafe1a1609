import Base
package import WebPush

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
