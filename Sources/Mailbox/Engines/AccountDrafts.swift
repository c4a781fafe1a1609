import Base
import Notifications
import SQLite
import System

/// Large accounts on their way to the disk: one after the other, a part between two batches, so that
/// nobody waits for a whole account.
///
/// A draft is an account as it was between two batches. Its journal goes on meanwhile, and counts
/// until all parts are stored. After a kill in between, what is stored is the former account and the
/// whole journal.
struct AccountDrafts {
    struct Draft {
        let engine: LoadedEngine
        /// The last record that the account contains, and how long the journal was.
        let position: Int64
        let journalSize: Int
        let encoding: AccountEncoding
        /// Bytes that are stored, the positions of their parts, and the size of these.
        var done = 0
        var parts: [Int64] = []
        var size = 0

        init(of engine: LoadedEngine, at position: Int64) {
            self.engine = engine
            self.position = position
            journalSize = engine.journalSize
            encoding = AccountEncoding(of: engine.hosted.engine.account, engine.row)
        }
    }

    private var asked: [UInt32] = []
    /// The one that is being written.
    var draft: Draft?
    /// The positions of all parts that are stored.
    private var parts: [UInt32: Set<Int64>] = [:]
    /// Engines of which no account may need some parts.
    private(set) var littered: Set<UInt32> = []
    /// Engines that have dropped something since their accounts were last written.
    var relieved: Set<UInt32> = []

    var hasWork: Bool {
        if !littered.isEmpty { return true }
        return draft.map { $0.encoding.bytes != nil } ?? !asked.isEmpty
    }

    var isDrafting: Bool { draft != nil }

    func isAsked(_ engine: UInt32) -> Bool {
        draft?.engine.row == engine || asked.contains(engine)
    }

    /// The account is written soon.
    mutating func ask(_ engine: UInt32) {
        if !isAsked(engine) { asked.append(engine) }
    }

    mutating func takeAsked() -> UInt32? { asked.isEmpty ? nil : asked.removeFirst() }

    /// A later account is stored already, or the engine has ended.
    mutating func cancel(_ engine: UInt32) {
        asked.removeAll { $0 == engine }
        if draft?.engine.row == engine { draft = nil }
        relieved.remove(engine)
        clear(engine)
    }

    /// Parts of the engine that its account does not need are removed soon.
    mutating func clear(_ engine: UInt32) {
        if parts[engine] != nil { littered.insert(engine) }
    }

    mutating func isClear(_ engine: UInt32) { littered.remove(engine) }

    func parts(of engine: UInt32) -> Set<Int64> { parts[engine] ?? [] }

    mutating func wrote(_ part: Int64, of engine: UInt32) {
        parts[engine, default: []].insert(part)
    }

    mutating func removed(_ part: Int64, of engine: UInt32) {
        parts[engine]?.remove(part)
        guard parts[engine]?.isEmpty == true else { return }
        parts[engine] = nil
        littered.remove(engine)
    }
}

/// Makes the bytes of an account on a thread of its own, because that can take longer than a commit.
// The account is a value: what its engine does meanwhile is not seen here.
final class AccountEncoding: Sendable {
    private let answer: Answer

    private final class Answer: Sendable {
        let bytes = Lock<[UInt8]?>(nil)
    }

    init(of account: Account, _ row: UInt32) {
        let answer = Answer()
        let encode: @Sendable () -> Void = {
            let bytes = CrashMarker.mark(.account, row) { account.state }
            answer.bytes.withLock { $0 = bytes }
        }
        self.answer = answer
        // The account of an engine that has ended meanwhile is not needed any more.
        if let thread = try? WorkThread(name: "account", encode) {
            thread.detach()
        } else {
            // The machine has no more threads.
            encode()
        }
    }

    /// Nil while it is at work.
    var bytes: [UInt8]? { answer.bytes.withLock { $0 } }
}

/// The parts of an account that is too large for one commit.
///
/// Each part is a record of the journal's table: its position is in the account's own row, sealed
/// with it, so parts cannot be exchanged. What makes a part, in the row of the record, is one byte
/// after the number of its engine.
struct AccountParts {
    /// No account begins with it.
    private static let mark: UInt8 = 0xFF

    let positions: [Int64]

    /// What the account's row holds instead of the account.
    var bytes: [UInt8] {
        var bytes = [Self.mark]
        for position in positions { bytes.append(bigEndian: UInt64(bitPattern: position)) }
        return bytes
    }

    init(positions: [Int64]) { self.positions = positions }

    /// Nil if what an account's row holds is the account.
    init?(_ state: [UInt8]) {
        guard state.first == Self.mark, state.count % 8 == 1 else { return nil }
        positions = stride(from: 1, to: state.count, by: 8).map {
            Int64(bitPattern: state.span.word(at: $0))
        }
    }

    /// The account of a row; nil if a part of it is missing or does not open.
    static func joined(
        _ state: [UInt8], _ open: (Int64) throws(StoreFault) -> [UInt8]?
    ) throws(StoreFault) -> [UInt8]? {
        guard let parts = AccountParts(state) else { return state }
        var account: [UInt8] = []
        for position in parts.positions {
            guard let part = try open(position) else { return nil }
            account += part
        }
        return account
    }

    static func isPart(_ engines: Span<UInt8>) -> Bool { engines.count % 4 == 1 }

    private static func name(of engine: UInt32) -> [UInt8] {
        var name: [UInt8] = []
        name.append(bigEndian: engine)
        return name + [0]
    }

    static func write(
        _ sealed: [UInt8], of engine: UInt32, at position: Int64,
        on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run(
            "INSERT INTO engine_record VALUES (?1, ?2, ?3)", position, name(of: engine), sealed)
    }

}
