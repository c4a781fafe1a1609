/// The inputs on which a signal ended the program, and how often, in the form it has on the disk.
///
/// After one crash an input is tried again; after two it is set aside. If two different inputs of
/// one account crashed the program, the account is set aside too: its stored state is probably the
/// cause. A new version of the program tries everything again.
package struct CrashLedger: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let kind: CrashMarker.Kind
        package let signal: UInt32
        package let subject: UInt32
        package let digest: UInt64
        /// Seconds since 1970.
        package let time: Int64
        package var isSetAside = false
    }

    static let size = 4_096
    static let entryLimit = 64
    /// Where the signal handler writes.
    static let crashStart = 40
    private static let crashSize = 24
    private static let entriesStart = 64
    private static let entrySize = 40
    private static let mark = Array("BELLASD1".utf8)

    let key: (UInt64, UInt64)
    /// The program that wrote the entries.
    private(set) var program: UInt64
    private(set) package var entries: [Entry] = []
    /// The crash since the last start; nil if the process ended in any other way.
    private var crash: Entry?

    init(key: (UInt64, UInt64), program: UInt64) {
        self.key = key
        self.program = program
    }

    package static func == (one: CrashLedger, other: CrashLedger) -> Bool {
        one.bytes == other.bytes && one.crash == other.crash
    }

    /// Moves the new crash into the entries and returns it.
    mutating func settle(program: UInt64, time: Int64) -> Entry? {
        guard program == self.program else {
            self.program = program
            (entries, crash) = ([], nil)
            return nil
        }
        guard let found = crash.take() else { return nil }
        var entry = Entry(
            kind: found.kind, signal: found.signal, subject: found.subject, digest: found.digest,
            time: time)
        // Senders repeat a push that got no answer, so the first may be set aside before the second
        // comes.
        let hasOther = entries.contains { $0.subject == entry.subject && $0.digest != entry.digest }
        if let place = entries.firstIndex(where: { $0.digest == entry.digest }) {
            entries.remove(at: place)
            entry.isSetAside = true
        } else if entry.subject != 0, hasOther {
            let account = CrashMarker.bytes(entry.subject)
            let digest = CrashMarker.digest(.account, account.span, key: key)
            entries.removeAll { $0.digest == digest }
            add(
                Entry(
                    kind: .account, signal: entry.signal, subject: entry.subject, digest: digest,
                    time: time, isSetAside: true))
        }
        add(entry)
        return entry
    }

    private mutating func add(_ entry: Entry) {
        if entries.count >= Self.entryLimit {
            entries.remove(at: entries.firstIndex { !$0.isSetAside } ?? 0)
        }
        entries.append(entry)
    }
}

/// The form on the disk: numbers with the lowest byte first, as the signal handler writes them.
extension CrashLedger {
    /// Nil if the bytes are not a ledger.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, bytes.starts(with: Self.mark) else { return nil }
        let number = { (start: Int, count: Int) in
            (0..<count).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
        self.init(key: (number(8, 8), number(16, 8)), program: number(24, 8))
        for place in 0..<min(Int(number(32, 4)), Self.entryLimit) {
            let start = Self.entriesStart + place * Self.entrySize
            guard let kind = CrashMarker.Kind(rawValue: UInt32(number(start, 4))) else {
                return nil
            }
            entries.append(
                Entry(
                    kind: kind, signal: UInt32(number(start + 4, 4)),
                    subject: UInt32(truncatingIfNeeded: number(start + 8, 8)),
                    digest: number(start + 16, 8),
                    time: Int64(bitPattern: number(start + 24, 8)),
                    isSetAside: number(start + 32, 8) != 0))
        }
        let signal = UInt32(number(Self.crashStart, 4))
        guard signal != 0 else { return }
        guard let kind = CrashMarker.Kind(rawValue: UInt32(number(Self.crashStart + 4, 4))) else {
            return nil
        }
        crash = Entry(
            kind: kind, signal: signal,
            subject: UInt32(truncatingIfNeeded: number(Self.crashStart + 8, 8)),
            digest: number(Self.crashStart + 16, 8), time: 0)
    }

    /// Leaves out the new crash.
    var bytes: [UInt8] {
        var bytes = Self.mark
        func append(_ number: UInt64, _ count: Int = 8) {
            for place in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
            }
        }
        append(key.0)
        append(key.1)
        append(program)
        append(UInt64(entries.count))
        bytes += [UInt8](repeating: 0, count: Self.crashSize)
        for entry in entries {
            append(UInt64(entry.kind.rawValue), 4)
            append(UInt64(entry.signal), 4)
            append(UInt64(entry.subject))
            append(entry.digest)
            append(UInt64(bitPattern: entry.time))
            append(entry.isSetAside ? 1 : 0)
        }
        return bytes + [UInt8](repeating: 0, count: Self.size - bytes.count)
    }
}

/// The inputs that are not tried again because they crashed the program twice.
package struct SetAsideInputs: Sendable {
    private let key: (UInt64, UInt64)
    private let digests: Set<UInt64>

    package init() {
        key = (0, 0)
        digests = []
    }

    init(_ ledger: CrashLedger) {
        key = ledger.key
        digests = Set(ledger.entries.lazy.filter(\.isSetAside).map(\.digest))
    }

    package func contains(
        _ kind: CrashMarker.Kind, _ first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) -> Bool {
        guard !digests.isEmpty else { return false }
        return digests.contains(CrashMarker.digest(kind, first, second, key: key))
    }

    package func contains(_ kind: CrashMarker.Kind, _ number: UInt32) -> Bool {
        guard !digests.isEmpty else { return false }
        let bytes = CrashMarker.bytes(number)
        return contains(kind, bytes.span)
    }
}
