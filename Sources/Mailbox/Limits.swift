/// How much may wait for destinations that are offline.
package struct QuotaLimits: Equatable, Sendable {
    package struct Room: Equatable, Sendable {
        package var messages: Int
        package var bytes: Int

        package init(messages: Int, bytes: Int) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    /// Enough for a month of a busy messenger.
    package var device = Room(messages: 10_000, bytes: 32 << 20)
    package var owner = Room(messages: 1_000_000, bytes: 1 << 30)
    /// The room for the strangers of one network. All strangers together get as much as one owner.
    package var network = Room(messages: 20_000, bytes: 64 << 20)
    package var all = Room(messages: 10_000_000, bytes: 64 << 30)

    package init() {}

    /// A talkative application leaves half of its device to the others.
    package var subscription: Room {
        Room(messages: device.messages / 2, bytes: device.bytes / 2)
    }
}

/// How much of everything except messages the store may keep for owners and senders. Devices
/// without a credential have no owner: they share one owner's limit, or have limits of their own.
package struct GrowthLimits: Equatable, Sendable {
    package struct Room: Equatable, Sendable {
        package var count: Int
        package var bytes: Int

        package init(count: Int, bytes: Int) {
            self.count = count
            self.bytes = bytes
        }
    }

    /// User agents without a credential.
    package var strangers = 1_000_000
    /// Endpoints of channels: for one owner, for strangers, for all.
    package var endpoints = 100_000
    package var endpointsOfStrangers = 2_000_000
    package var allEndpoints = 4_000_000
    /// Ended endpoints that are still remembered.
    package var endedEndpoints = 1_000_000
    /// Stored size of registrations: for one owner (`OwnerLimits.registrations` limits their
    /// number), and for all.
    package var registrationBytes = 128 << 20
    package var allRegistrations = Room(count: 1_000_000, bytes: 4 << 30)
    /// Answers to requests with an `Idempotency-Key`.
    package var answers = Room(count: 10_000, bytes: 16 << 20)
    package var allAnswers = Room(count: 100_000, bytes: 128 << 20)
    /// Callbacks and their waiting events, including callbacks of registrations that have ended.
    package var callbacks = Room(count: 20_000, bytes: 256 << 20)
    package var allCallbacks = Room(count: 1_000_000, bytes: 4 << 30)
    /// What the history of one topic keeps.
    package var topicHistory = Room(count: 10_000, bytes: 64 << 20)
    /// Messages of one topic that are not due yet.
    package var topicScheduled = 10_000
    /// Questions of one topic that are open, and results that are still known.
    package var topicQuestions = 100
    package var topicResults = 10_000
    /// A busy caller leaves half of a topic's open questions to the others.
    package var questionsOfCaller: Int { topicQuestions / 2 }
    /// Stored size of engine accounts: for one account, for one owner, for all.
    package var engine = 16 << 20
    package var engines = 64 << 20
    package var allEngines = 1 << 30

    package init() {}
}

/// How much room files of topics may take, in bytes.
package struct FileLimits: Equatable, Sendable {
    package var file = 15 << 20
    package var topic = 256 << 20
    package var owner = 1 << 30
    /// All files together, unless the configuration says otherwise.
    package var all = 5 << 30

    package init() {}
}

/// Limits of the store's own work.
package struct StoreLimits: Sendable {
    package var quota = QuotaLimits()
    package var growth = GrowthLimits()
    package var files = FileLimits()
    /// Work queued for the writer; beyond this, operations are refused.
    package var queuedOperations = 65_536
    package var queuedBytes = 128 << 20
    /// Pages of 4 KiB that the file may have; nil for no limit but the disk.
    package var filePages: Int?
    /// Operations committed at once.
    package var batch = 2_048
    /// Bytes of the engines' journal; beyond this, the accounts in its oldest records are saved.
    package var engineJournal = 16 << 20
    /// Bytes of an account that are written in one commit.
    package var accountPart = 1 << 20
    /// Bytes of the engines in memory; beyond this, engines without listeners are unloaded.
    package var engineMemory = 64 << 20
    /// Bytes of texts of topics that were searched lately, in memory.
    package var searchMemory = 64 << 20
    /// How long others wait for a search, in milliseconds.
    package var searchTurn: Int64 = 4
    /// Messages and bytes in one page for a reader.
    package var pageMessages = 64
    package var pageBytes = 512 << 10

    package init() {}
}
