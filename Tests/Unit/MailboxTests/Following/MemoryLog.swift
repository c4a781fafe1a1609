import Foundation

@testable import Mailbox

/// A log in memory that several stores share.
// Unchecked: all state is only touched under the lock.
final class MemoryLog: @unchecked Sendable {
    /// The stores of the log.
    let peers = MemoryPeers()
    private let lock = NSLock()
    private var entries: [CommitEntry] = []
    private var wakers: [@Sendable () -> Void] = []
    private var listeners: [@Sendable ([UInt8]) -> Void] = []
    private var blocks: UInt32 = 0
    private var nextFate = Fate.stored
    private var answers = true

    init() {}

    /// The log as it was after an entry.
    init(_ log: MemoryLog, through last: Int64) {
        entries = log.entries(after: 0).prefix(Int(last)).map(\.entry)
    }

    /// What becomes of an entry, and whether anybody hears of it.
    enum Fate { case stored, storedSilently, lost, tooLateOnce, tooLate }

    /// The fate of each entry from now on. Stores append on threads of their own.
    var fate: Fate {
        get { lock.withLock { nextFate } }
        set { lock.withLock { nextFate = newValue } }
    }

    /// Whether the stores seem to have everything that is in it.
    var isCurrent: Bool {
        get { lock.withLock { answers } }
        set { lock.withLock { answers = newValue } }
    }

    var last: Int64 { lock.withLock { Int64(entries.count) } }

    func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer {
        let (answer, wakers) = lock.withLock { () -> (CommitAnswer, [@Sendable () -> Void]) in
            guard last == Int64(entries.count) else { return (.outdated, []) }
            let fate = nextFate
            if fate == .lost { return (.unknown, []) }
            if fate == .tooLate { return (.outdated, []) }
            if fate == .tooLateOnce {
                nextFate = .stored
                return (.outdated, [])
            }
            entries.append(entry)
            return (fate == .stored ? .appended(Int64(entries.count)) : .unknown, self.wakers)
        }
        for waker in wakers { waker() }
        return answer
    }

    fileprivate func ask(_ entry: CommitEntry) {
        let wakers = lock.withLock {
            entries.append(entry)
            return self.wakers
        }
        for waker in wakers { waker() }
    }

    func entries(after last: Int64) -> [NumberedEntry] {
        lock.withLock {
            entries.indices.filter { Int64($0) >= last }.map {
                NumberedEntry(number: Int64($0) + 1, entry: entries[$0])
            }
        }
    }

    fileprivate func follow(_ arrived: @escaping @Sendable () -> Void) {
        lock.withLock { wakers.append(arrived) }
    }

    fileprivate func tell(_ bytes: [UInt8]) {
        for listener in lock.withLock({ listeners }) { listener(bytes) }
    }

    fileprivate func listen(_ hear: @escaping @Sendable ([UInt8]) -> Void) {
        lock.withLock { listeners.append(hear) }
    }

    fileprivate func takeNumbers() -> NumberBlock {
        lock.withLock {
            blocks += 1
            return NumberBlock(number: blocks)
        }
    }

    /// The log as one store sees it.
    func seat(_ node: String, _ origin: StoreOrigin) -> LogSource {
        LogSource(log: Seat(self), node: node, origin: origin, peers: peers.seat(node))
    }

    private final class Seat: CommitLog {
        private let log: MemoryLog

        init(_ log: MemoryLog) { self.log = log }

        func append(_ entry: CommitEntry, after last: Int64) -> CommitAnswer {
            log.append(entry, after: last)
        }

        func ask(_ entry: CommitEntry) { log.ask(entry) }
        func entries(after last: Int64) -> [NumberedEntry] { log.entries(after: last) }
        func follow(_ arrived: @escaping @Sendable () -> Void) { log.follow(arrived) }
        var isCurrent: Bool { log.isCurrent }
        var isTooFarBehind: Bool { false }
        var isLead: Bool { true }
        func tell(_ bytes: [UInt8]) { log.tell(bytes) }
        func listen(_ hear: @escaping @Sendable ([UInt8]) -> Void) { log.listen(hear) }
        func takeNumbers() -> NumberBlock? { log.takeNumbers() }
    }
}
