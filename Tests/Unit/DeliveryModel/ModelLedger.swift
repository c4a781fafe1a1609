import Delivery
import Synchronization

/// Counts reserved messages, bytes and marks.
final class ModelLedger: ReservationKeeper, Sendable {
    struct Room: Equatable {
        var messages = 0
        var bytes = 0
    }

    private struct Books: Sendable {
        var messages = 0
        var bytes = 0
        /// True for marks of messages that the store has.
        var marks: [RepetitionMark: Bool] = [:]
    }

    private let books = Mutex(Books())

    var room: Room { books.withLock { Room(messages: $0.messages, bytes: $0.bytes) } }
    var hasOpenMarks: Bool { books.withLock { $0.marks.values.contains(false) } }

    func reserve(_ size: Int, for address: Address, _ reservation: inout Reservation) {
        books.withLock {
            $0.messages += 1
            $0.bytes += size
        }
        reservation.add(room: size, for: address, by: self)
    }

    func reserve(_ mark: RepetitionMark, _ reservation: inout Reservation) {
        books.withLock { $0.marks[mark] = false }
        reservation.add(mark, by: self)
    }

    func keep(_ mark: RepetitionMark) { books.withLock { $0.marks[mark] = true } }

    func release(_ size: Int, for address: Address) {
        books.withLock {
            $0.messages -= 1
            $0.bytes -= size
        }
    }

    func release(_ mark: RepetitionMark) {
        books.withLock { if $0.marks[mark] == false { $0.marks[mark] = nil } }
    }
}
