import Foundation
import Mailbox

@testable import Cluster

/// A store's writer, reduced to what it does with the log: it appends, and when others were faster
/// it takes theirs first.
final class LogWriter {
    let log: ClusterLog
    private(set) var last: Int64 = 0
    /// The names of all entries, in order.
    private(set) var names: [UInt64] = []
    private let arrived = DispatchSemaphore(value: 0)

    init(_ log: ClusterLog) {
        self.log = log
        let arrived = arrived
        log.follow { arrived.signal() }
        take()
    }

    static func entry(_ name: UInt64, length: Int = 100) -> CommitEntry {
        var changes = Array(repeating: UInt8(truncatingIfNeeded: name), count: length)
        for index in stride(from: 0, to: length, by: 1_000) {
            changes[index] = UInt8(truncatingIfNeeded: index / 1_000)
        }
        return CommitEntry(
            name: name, position: Int64(name), sequence: 7, changes: changes, news: [1, 2, 3],
            schema: CommitEntry.firstSchema)
    }

    /// Until it is there, whatever happens. False after half a minute.
    func write(_ entry: CommitEntry) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 30)
        while Date() < deadline {
            switch log.append(entry, after: last) {
            case .appended(let number):
                names.append(entry.name)
                last = number
                return true
            case .outdated, .unknown:
                take()
                if names.last == entry.name { return true }
                _ = arrived.wait(timeout: .now() + 0.2)
                take()
            }
            if names.contains(entry.name) { return true }
        }
        return false
    }

    @discardableResult
    func take() -> [NumberedEntry] {
        let entries = log.entries(after: last)
        names += entries.map(\.entry.name)
        if let number = entries.last?.number { last = number }
        return entries
    }

    /// Takes entries until there are so many. False after half a minute.
    func wait(for count: Int) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 30)
        while names.count < count, Date() < deadline {
            _ = arrived.wait(timeout: .now() + 0.1)
            take()
        }
        return names.count == count
    }
}

/// Whether it becomes true within so many seconds.
func becomes(within seconds: Double = 60, _ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while Date() < deadline {
        if condition() { return true }
        usleep(10_000)
    }
    return condition()
}
