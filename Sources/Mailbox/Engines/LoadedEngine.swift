import Base
import Crypto
import Delivery
package import Notifications

/// An engine in the writer's memory.
final class LoadedEngine {
    let row: UInt32
    let owner: String
    var hosted: HostedEngine
    /// Bytes of its journal entries, and of the account as last written.
    var journalSize: Int
    var stateSize: Int
    /// Bytes that its account may have.
    var room = 0
    /// The account is full and is not measured again before this.
    var isFullUntil: StoreTime?
    /// The deadline that listeners were last told.
    var deadline: Double?
    /// Nil until first needed.
    var registrations: AccountRegistrations?

    /// The memory of an engine without notifications.
    private static let emptySize = 4 << 10
    /// Below this size the journal may grow whatever the account's size is.
    private static let smallJournal = 64 << 10

    init(
        _ row: UInt32, of owner: String, _ hosted: HostedEngine, journalSize: Int, stateSize: Int
    ) {
        self.row = row
        self.owner = owner
        self.hosted = hosted
        self.journalSize = journalSize
        self.stateSize = stateSize
    }

    /// Roughly its size in memory.
    var size: Int { Self.emptySize + journalSize + stateSize }

    /// The journal may grow as long as the account. So an entry costs the same, however large the
    /// account is.
    var isJournalLong: Bool { journalSize > max(Self.smallJournal, stateSize) }

    /// Whether its account may be too large for one commit.
    func isLarge(for part: Int) -> Bool { stateSize + journalSize > part }

    /// Bytes for a message that must not be shown, besides the account.
    private static let barredSize = 32

    /// Roughly what counts against its room: the account as last written, and barred messages.
    var weight: Int { stateSize + hosted.engine.barredCount * Self.barredSize }

    /// Whether it may have outgrown its room with the changes since the last write. A small excess
    /// is allowed, or each push would write the account.
    var mayBeFull: Bool {
        let weight = weight
        return weight > room || weight + journalSize > room + excess
    }

    /// Whether it has outgrown its room by far, while its account is being written in parts, which
    /// takes a while.
    var isTooFull: Bool { weight + journalSize > room + 2 * excess }

    private var excess: Int { max(room / 16, Self.smallJournal) }

    /// A registration of its account has ended. Nil is a registration that could not be read, so it
    /// is unknown what it counted for.
    func remove(_ registration: Registration?) {
        if let registration { registrations?.remove(registration) } else { registrations = nil }
    }
}

/// The engines in the writer's memory.
///
/// An engine without listeners stays while there is room, or the next push would have to read it.
struct LoadedEngines {
    private var engines: [UInt32: LoadedEngine] = [:]
    /// The size of all of them.
    private var size = 0
    private let room: Int
    /// Above this size, engines without listeners are unloaded.
    private var bound: Int

    init(room: Int) {
        self.room = room
        bound = room
    }

    subscript(row: UInt32) -> LoadedEngine? { engines[row] }

    mutating func insert(_ engine: LoadedEngine) {
        engines[engine.row] = engine
        size += engine.size
    }

    mutating func remove(_ row: UInt32) {
        if let engine = engines.removeValue(forKey: row) { size -= engine.size }
    }

    /// Updates its sizes on the disk.
    mutating func resize(_ engine: LoadedEngine, journal: Int, state: Int) {
        size -= engine.size
        engine.journalSize = journal
        engine.stateSize = state
        size += engine.size
    }

    mutating func giveUp(unless isNeeded: (UInt32) -> Bool) {
        guard size > bound else { return }
        engines = engines.filter { isNeeded($0.key) }
        size = engines.values.reduce(0) { $0 + $1.size }
        // Engines in use may exceed the room; without a higher bound every insertion would scan
        // them all again.
        bound = max(room, 2 * size)
    }
}

/// What an engine has to know about all registrations of its account together, so that a joining
/// client needs no look at each of them. It is a value that is read once, and updated with each
/// registration.
struct AccountRegistrations {
    private var withReplies = 0
    private var dismissedHere = 0
    private var schemes: [String: Int] = [:]
    private var services: [UInt32: String] = [:]
    /// Until then no sign of life is worth writing; nil if there are no registrations.
    private(set) var nextSignOfLife: StoreTime?

    init(_ registrations: [Registration]) {
        for registration in registrations { add(registration) }
    }

    /// What any of the registrations agrees to.
    var consent: SourceConsent {
        var consent = SourceConsent()
        consent.takesReplies = withReplies > 0
        consent.linkSchemes = Set(schemes.keys)
        if dismissedHere > 0 { consent.dismissal = .here }
        return consent
    }

    /// The program that is told about the user's choices: the first one named.
    var service: String? { services.min { $0.key < $1.key }?.value }

    mutating func add(_ registration: Registration) {
        count(registration, by: 1)
        changed(registration)
    }

    mutating func remove(_ registration: Registration) { count(registration, by: -1) }

    /// The registration gave a sign of life, or went offline.
    mutating func changed(_ registration: Registration) {
        let next = registration.nextSignOfLife
        nextSignOfLife = min(nextSignOfLife ?? next, next)
    }

    /// All of them gave a sign of life.
    mutating func recordedSignOfLife(_ registrations: [Registration]) {
        nextSignOfLife = registrations.map(\.nextSignOfLife).min()
    }

    private mutating func count(_ registration: Registration, by step: Int) {
        services[registration.device] = step > 0 ? registration.terms.service : nil
        let consent = registration.terms.consent
        if consent.takesReplies { withReplies += step }
        if registration.terms.topic.dismissal == .here { dismissedHere += step }
        for scheme in consent.linkSchemes {
            let count = schemes[scheme, default: 0] + step
            schemes[scheme] = count > 0 ? count : nil
        }
    }
}

extension RegistrationTerms {
    /// How the application wants its notifications to look.
    var looks: JSONNode? {
        guard let presentation else { return nil }
        return try? JSONDocument(Array(presentation.utf8)).root
    }

    fileprivate var consent: SourceConsent {
        looks.map { SourceConsent($0) } ?? SourceConsent()
    }
}

extension HostedEngine.Cryptography {
    package static let openSSL = HostedEngine.Cryptography(
        secret: { $0.map(encryption) ?? drawn() }, open: { open($0, $1) })

    private static func encryption(_ bytes: [UInt8]) -> RegisteredDevice.Encryption? {
        guard let secret = MTProtoSecret(Secret(bytes.span)) else { return nil }
        return RegisteredDevice.Encryption(keyID: secret.keyID, secret: bytes)
    }

    /// Telegram's clients draw again until the key's id cannot be mistaken for a user id.
    private static let smallestKeyID: UInt64 = 10_000_000_000_000

    /// Nil without randomness.
    private static func drawn() -> RegisteredDevice.Encryption? {
        // Each draw fails with a probability of one in a million.
        for _ in 0..<8 {
            guard let bytes = try? Random.bytes(count: MTProtoSecret.length),
                let drawn = encryption(bytes)
            else { return nil }
            if drawn.keyID.magnitude >= smallestKeyID { return drawn }
        }
        return nil
    }

    private static func open(
        _ sealed: [UInt8], _ encryption: RegisteredDevice.Encryption
    ) -> [UInt8]? {
        // Nobody is told why a payload cannot be decrypted.
        try? MTProtoSecret(Secret(encryption.secret.span))?.decrypt(sealed.span)
    }
}
