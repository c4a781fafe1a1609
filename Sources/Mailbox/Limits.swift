/// How much may wait for destinations that are away.
package struct QuotaLimits: Equatable, Sendable {
    package struct Room: Equatable, Sendable {
        package var messages: Int
        package var bytes: Int

        package init(messages: Int, bytes: Int) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    /// A month of a busy messenger.
    package var device = Room(messages: 10_000, bytes: 32 << 20)
    package var owner = Room(messages: 1_000_000, bytes: 1 << 30)
    /// Strangers of one network. All of them together have what one owner has.
    package var network = Room(messages: 20_000, bytes: 64 << 20)
    package var all = Room(messages: 10_000_000, bytes: 64 << 30)

    package init() {}

    /// One talkative application leaves half of its device to the others.
    package var subscription: Room {
        Room(messages: device.messages / 2, bytes: device.bytes / 2)
    }
}

/// How much of everything else owners and senders may make the store keep. Who owns a device that
/// nobody made is nobody: those without a credential share what one owner may have, or have a bound
/// of their own.
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
    /// Endpoints of channels: of one owner, of strangers, of all.
    package var endpoints = 100_000
    package var endpointsOfStrangers = 2_000_000
    package var allEndpoints = 4_000_000
    /// Endpoints that ended, of which it is still known.
    package var endedEndpoints = 1_000_000
    /// Registrations as they are written: of one owner, who has `OwnerLimits.registrations`, and of all.
    package var registrationBytes = 128 << 20
    package var allRegistrations = Room(count: 1_000_000, bytes: 4 << 30)
    /// Answers to requests with an `Idempotency-Key`.
    package var answers = Room(count: 10_000, bytes: 16 << 20)
    package var allAnswers = Room(count: 100_000, bytes: 128 << 20)
    /// Callbacks, with those whose registration has ended, and what waits for them.
    package var callbacks = Room(count: 20_000, bytes: 256 << 20)
    package var allCallbacks = Room(count: 1_000_000, bytes: 4 << 30)
    /// Accounts of engines as they are written: of one, of all of one owner, of all.
    package var engine = 16 << 20
    package var engines = 64 << 20
    package var allEngines = 1 << 30

    package init() {}
}

/// The bounds of the store's own work.
package struct StoreLimits: Sendable {
    package var quota = QuotaLimits()
    package var growth = GrowthLimits()
    /// What waits for the writer; beyond it, operations are refused.
    package var queuedOperations = 65_536
    package var queuedBytes = 128 << 20
    /// Pages of 4 KiB that the file may have; nil for as many as the disk has.
    package var filePages: Int?
    /// What is committed at once.
    package var batch = 2_048
    /// Bytes of the journal of engines; beyond it, the accounts of its oldest records are written.
    package var engineJournal = 16 << 20
    /// Bytes of the engines in memory; beyond it, those to which nobody listens are given up.
    package var engineMemory = 64 << 20
    /// Messages and bytes of one page for a reader.
    package var pageMessages = 64
    package var pageBytes = 512 << 10

    package init() {}
}
