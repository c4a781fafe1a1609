import Base
package import WebPush

/// A registration of an application, as it is stored.
package struct ClientRecord: Equatable, Sendable, Confidential {
    package let key: ClientKey
    /// The bus name to call; a unique one ends with its connection.
    package var service: String
    package var description: String
    package var applicationKey: ApplicationKey?
    package var version: ConnectorVersion
    /// The object path where its connector was found last; some export it at `/`.
    package var path: String
    package var channel: ChannelID
    package var endpoint: String?
    /// In seconds since 1970.
    package var created: Int64
    package var lastDelivery: Int64?
    /// When its bus name was last owned or installed, in seconds since 1970.
    package var lastSeen: Int64
    package var isMuted = false
    /// Less urgent messages do not start the application.
    package var leastUrgency = Urgency.veryLow

    package init(
        key: ClientKey, service: String, description: String, applicationKey: ApplicationKey?,
        version: ConnectorVersion, path: String, channel: ChannelID, endpoint: String?,
        created: Int64, lastDelivery: Int64?, lastSeen: Int64
    ) {
        self.key = key
        self.service = service
        self.description = description
        self.applicationKey = applicationKey
        self.version = version
        self.path = path
        self.channel = channel
        self.endpoint = endpoint
        self.created = created
        self.lastDelivery = lastDelivery
        self.lastSeen = lastSeen
    }
}
