package import Base
package import Crypto
package import Delivery
package import WebPush

/// Who may push to an endpoint.
package enum SenderRule: Equatable, Sendable {
    case anyone
    /// Senders that sign with the key that has this hash.
    case key(KeyHash)
    /// The first sender with a valid signature; the endpoint is then bound to that key.
    case firstKey
}

/// What accepting a push needs to know about its endpoint.
package struct Endpoint: Equatable, Sendable {
    package let address: Address
    package let kind: SubscriptionKind
    package let sender: SenderRule
}

/// One subscription, as its device or an administrator sees it.
package struct Subscription: Sendable, Confidential {
    package let address: Address
    package let kind: SubscriptionKind
    package let channel: ChannelID
    package let sender: SenderRule
    package let token: EndpointToken
    /// The SHA-256 of the token, by which it is looked up.
    package let digest: Digest
    /// Milliseconds since 1970.
    package let created: Int64

    package init(
        address: Address, kind: SubscriptionKind, channel: ChannelID, sender: SenderRule,
        token: EndpointToken, digest: Digest, created: Int64
    ) {
        self.address = address
        self.kind = kind
        self.channel = channel
        self.sender = sender
        self.token = token
        self.digest = digest
        self.created = created
    }
}

/// A user agent: a client that connects to receive its messages.
package struct KnownUserAgent: Sendable, Confidential {
    package let row: UInt32
    /// The SHA-256 of its user agent id.
    package let userAgent: Digest
    /// The row of the credential it was made under; it can be used with no other.
    package let credential: UInt32?
    /// Whose room it uses if it has no credential.
    package let stranger: StrangerNumber
    /// Milliseconds since 1970.
    package let created: Int64

    package init(
        row: UInt32, userAgent: Digest, credential: UInt32?, stranger: StrangerNumber = .local,
        created: Int64
    ) {
        self.row = row
        self.userAgent = userAgent
        self.credential = credential
        self.stranger = stranger
        self.created = created
    }
}

/// The bearer secret of a device: 160 random bits, stored only as a hash.
package struct DeviceCredential: Sendable, Confidential {
    package static let secretLength = 20

    package let row: UInt32
    /// The SHA-256 of the secret.
    package let secret: Digest
    /// The owner's name for the device.
    package internal(set) var name: String
    package let owner: String
    /// Milliseconds since 1970.
    package let created: Int64
    package var lastSeen: Int64?
    /// False after a restore, until an administrator says that the device was not revoked since.
    package var isConfirmed: Bool
    /// It can only subscribe and receive: the API refuses it.
    package let isReceiveOnly: Bool
    /// What it opens instead of the API, if it is a token for topics.
    package internal(set) var token: TokenGrant?

    package init(
        row: UInt32, secret: Digest, name: String, owner: String, created: Int64,
        lastSeen: Int64? = nil, isConfirmed: Bool = true, isReceiveOnly: Bool = false,
        token: TokenGrant? = nil
    ) {
        self.row = row
        self.secret = secret
        self.name = name
        self.owner = owner
        self.created = created
        self.lastSeen = lastSeen
        self.isConfirmed = isConfirmed
        self.isReceiveOnly = isReceiveOnly
        self.token = token
    }
}

/// An owner of devices, with counts of what belongs to it.
package struct Owner: Sendable, Equatable {
    package let row: UInt32
    package let name: String
    /// Credentials.
    package let devices: Int
    /// User agents that connected with them and subscribed to something.
    package let userAgents: Int
    package let endpoints: Int
    package let registrations: Int
    /// What the histories of its topics have, with what is to come later.
    package let keptMessages: Int
    package let keptBytes: Int

    /// Whose the things are that the administrator makes for nobody else.
    package static let administrator = "admin"
}

/// What an owner may have, besides the messages limited by `QuotaLimits`.
package enum OwnerLimits {
    /// Credentials of devices.
    package static let devices = 100
    /// Those for topics, all of which are in memory.
    package static let tokens = 1_000
    package static let topics = 1_000
    package static let forwards = 100
    /// A reinstalled browser counts again until its device is removed.
    static let userAgents = 500
    /// Accounts of applications. Administrators have no limit.
    package static let registrations = 10_000
}

/// The number under which devices without a credential are counted. Owners use their row.
package struct StrangerNumber: Equatable, Sendable {
    /// All programs on this machine.
    package static let local = StrangerNumber(row: 0)
    /// All strangers that are not on this machine.
    static let all: UInt32 = .max - 1
    private static let first: UInt32 = 1 << 31

    let row: UInt32

    private init(row: UInt32) { self.row = row }

    /// The number of a network (`IPAddress.network`). It is computed under a key, so the file does
    /// not reveal the network and nobody can choose to share another's number.
    package init(network: UInt64, key: Secret) throws(OpenSSLError) {
        var hash = try SHA256()
        let text = Array("stranger \(network)".utf8)
        let digest = try key.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, text.span)
        }
        let words = Digest(digest).words
        row = min(Self.first | UInt32(truncatingIfNeeded: words.0), Self.all - 1)
    }

    /// Whether this is the number of a network, not of an owner or of this machine.
    static func isNetwork(_ number: UInt32) -> Bool { number >= first }
}
