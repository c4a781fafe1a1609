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
}

/// Identifies a registration. Applications in different sandboxes may use the same token.
package struct ClientKey: Hashable, Sendable, Confidential {
    /// The id of the sandboxed application; empty outside a sandbox.
    package let sandbox: String
    package let token: String

    package init(sandbox: String, token: String) {
        self.sandbox = sandbox
        self.token = token
    }
}

/// The VAPID key of an application server, as applications pass it: a point of P-256 in 87
/// characters of base64url.
package struct ApplicationKey: Hashable, Sendable {
    package static let length = 87

    package let text: String

    package init?(_ text: String) {
        guard text.utf8.count == Self.length, UncompressedPoint(base64URL: text) != nil else {
            return nil
        }
        self.text = text
    }
}

/// Stores registrations.
protocol ClientStore: AnyObject {
    /// All registrations, once at the start.
    func clients() throws -> [ClientRecord]
    /// Inserts it, or replaces the one with the same key. Returns after it is on the disk.
    func save(_ client: ClientRecord) throws
    func remove(_ key: ClientKey) throws
}

/// A registration in memory: its record, and what is not stored.
struct Client {
    /// The stored record. Its endpoint is the one that the application has.
    var record: ClientRecord
    /// The endpoint that the link gave. It is separate from the record, so that a new endpoint is
    /// still sent to the application after a restart.
    var endpoint: String?
    /// Calls of `Register` that wait for an endpoint, with their deadlines.
    var calls: [(id: UInt64, deadline: Duration)] = []
    /// Why the last message was not delivered.
    var trouble: String?
    /// The application said that it does not know the token.
    var isStale = false
    /// Messages delivered last. A repeated one is only acknowledged.
    var delivered = Recent<String, Void>(limit: 128)
    var savedDelivery: Int64?

    init(_ record: ClientRecord) {
        self.record = record
        endpoint = record.endpoint
        savedDelivery = record.lastDelivery
    }

    /// It has only a unique bus name, so it ends with its connection.
    var isTransient: Bool { record.service.hasPrefix(":") }
}
