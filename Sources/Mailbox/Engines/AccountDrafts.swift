import Notifications
import Reactor
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
        /// The account was too large, and has dropped something.
        let hasMadeRoom: Bool
        let encoding: AccountEncoding
        /// Bytes that are stored, the positions of their parts, and the size of these.
        var done = 0
        var parts: [Int64] = []
        var size = 0

        init(of engine: LoadedEngine, at position: Int64, hasMadeRoom: Bool = false) {
            self.engine = engine
            self.position = position
            self.hasMadeRoom = hasMadeRoom
            journalSize = engine.journalSize
            encoding = AccountEncoding(of: engine.hosted.engine.account, engine.row)
        }
    }

    private var asked: [UInt32] = []
    /// The one that is being written.
    var draft: Draft?
    /// Parts that no account needs any more.
    private(set) var garbage: [Int64] = []

    var hasWork: Bool {
        if !garbage.isEmpty { return true }
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
        guard let draft, draft.engine.row == engine else { return }
        garbage += draft.parts
        self.draft = nil
    }

    mutating func discard(_ parts: [Int64]) { garbage += parts }

    mutating func takeGarbage() -> Int64? { garbage.popLast() }
}

/// Makes the bytes of an account on a thread of its own, because that can take longer than a commit.
// The account is a value: what its engine does meanwhile is not seen here.
final class AccountEncoding: Sendable {
    private let answer: Answer
    private let thread: WorkThread?

    private final class Answer: Sendable {
        let bytes = Lock<[UInt8]?>(nil)
    }

    init(of account: Account, _ row: UInt32) {
        let answer = Answer()
        let encode: @Sendable () -> Void = {
            let bytes = Underway.mark(.account, row) { account.state }
            answer.bytes.withLock { $0 = bytes }
        }
        self.answer = answer
        thread = try? WorkThread(name: "account", encode)
        // The machine has no more threads.
        if thread == nil { encode() }
    }

    deinit { thread?.join() }

    /// Nil while it is at work.
    var bytes: [UInt8]? { answer.bytes.withLock { $0 } }
}
