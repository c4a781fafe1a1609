import Base

/// What one person sees of the server at one moment. It has no contents, secrets or endpoints.
package struct Overview: Sendable {
    /// Since the server was started.
    package struct Counts: Equatable, Sendable {
        package var accepted = 0
        package var repeated = 0
        package var refused = 0
        package var delivered = 0
        package var acknowledged = 0
        package var undecryptable = 0

        package init() {}
    }

    /// How long pushes waited for their answers.
    package struct Durations: Equatable, Sendable {
        /// Upper bounds in microseconds.
        package let bounds: [Int]
        /// For each bound, how many took no longer; then how many there were.
        package let counts: [Int]

        package init(bounds: [Int], counts: [Int]) {
            self.bounds = bounds
            self.counts = counts
        }
    }

    package struct Device: Equatable, Sendable {
        package let id: Int
        package let name: String
        package let owner: String
        /// Seconds since 1970.
        package let created: Int
        package let isConnected: Bool
        package let lastSeen: Int?
        package let isConfirmed: Bool
        package let isReceiveOnly: Bool

        package init(
            id: Int, name: String, owner: String, created: Int, isConnected: Bool, lastSeen: Int?,
            isConfirmed: Bool, isReceiveOnly: Bool = false
        ) {
            self.id = id
            self.name = name
            self.owner = owner
            self.created = created
            self.isConnected = isConnected
            self.lastSeen = lastSeen
            self.isConfirmed = isConfirmed
            self.isReceiveOnly = isReceiveOnly
        }
    }

    package struct Registration: Equatable, Sendable {
        package let id: String
        package let app: String
        package let account: String
        package let owner: String
        /// Seconds since 1970.
        package let created: Int
        package let expires: Int
        package let lastPush: Int?
        package let waiting: Int
        /// The D-Bus name of the application to wake.
        package let service: String?
        /// Another client of the account is in use.
        package let isPaused: Bool
        /// Only a screen shows what is pushed there, and none is connected.
        package let isUnheard: Bool

        package init(
            id: String, app: String, account: String, owner: String, created: Int, expires: Int,
            lastPush: Int?, waiting: Int, service: String? = nil, isPaused: Bool = false,
            isUnheard: Bool = false
        ) {
            self.id = id
            self.app = app
            self.account = account
            self.owner = owner
            self.created = created
            self.expires = expires
            self.lastPush = lastPush
            self.waiting = waiting
            self.service = service
            self.isPaused = isPaused
            self.isUnheard = isUnheard
        }

        package var name: String { AccountName(app: app, account: account).description }
    }

    package struct Failure: Equatable, Sendable {
        /// The word in logs and metrics.
        package let word: String
        package let count: Int
        /// Zero for an accepted push that could not be read.
        package let status: Int
        package let number: Int?

        package init(word: String, count: Int, status: Int, number: Int?) {
            self.word = word
            self.count = count
            self.status = status
            self.number = number
        }
    }

    package struct Event: Equatable, Sendable {
        /// Counts the server's events.
        package let number: Int
        /// Milliseconds since 1970.
        package let time: Int
        package let kind: String
        /// The account or the device; empty if it has no name.
        package let subject: String
        package let detail: String

        package init(number: Int, time: Int, kind: String, subject: String, detail: String) {
            self.number = number
            self.time = time
            self.kind = kind
            self.subject = subject
            self.detail = detail
        }
    }

    package let version: String
    package let address: String
    /// Seconds since 1970.
    package let now: Int
    package let began: Int
    package let isUsable: Bool
    /// Nil for an administrator, who sees everything.
    package let owner: String?
    package let waiting: (messages: Int, bytes: Int)
    /// Nil for who does not see everything.
    package var counts: Counts?
    package var durations: Durations?
    package var userAgents: Int?
    /// User agents and screens.
    package var clients: Int?
    package var devices: [Device] = []
    package var registrations: [Registration] = []
    /// There are more registrations than these.
    package var hasMore = false
    package var failures: [Failure] = []
    package var events: [Event] = []

    package init(
        version: String, address: String, now: Int, began: Int, isUsable: Bool, owner: String?,
        waiting: (messages: Int, bytes: Int)
    ) {
        self.version = version
        self.address = address
        self.now = now
        self.began = began
        self.isUsable = isUsable
        self.owner = owner
        self.waiting = waiting
    }
}
