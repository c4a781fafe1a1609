import Base
import Delivery
import Mailbox
import WebPush

/// A store of one callback and its events, as plain lists.
struct OutboxShelf {
    struct Waiting {
        let position: Int64
        let isIntroduction: Bool
        var isParked = false
        var attempts = 0
        var refusals = 0
        /// Milliseconds of the pauses after its refusals.
        var refusedFor: Int64 = 0
        var due: StoreTime
        let dies: StoreTime
        var wasSentUnconfirmed = false
    }

    static let row: UInt32 = 1
    private static let week: UInt32 = 7 * 86_400

    var now = StoreTime(milliseconds: 1_000_000)
    private(set) var state: CallbackState? = .unconfirmed
    private(set) var waiting: [Waiting] = []
    /// Events that were sent at least once.
    var sent: Set<Int64> = []
    private let created = StoreTime(milliseconds: 1_000_000)
    private var position: Int64 = 0

    init() { append(isIntroduction: true, life: Self.week) }

    var lapse: StoreTime { created.adding(seconds: 3_600) }

    private mutating func append(isIntroduction: Bool, life: UInt32) {
        position += 1
        waiting.append(
            Waiting(
                position: position, isIntroduction: isIntroduction, due: now,
                dies: now.adding(seconds: life)))
    }

    /// The next event, in order.
    var head: Waiting? { waiting.first { !$0.isParked } }

    /// Something has to be sent.
    var hasWork: Bool { state != nil && state != .gone && state != .lapsed && head != nil }

    mutating func add(days: UInt32) -> Bool {
        guard state == .unconfirmed || state == .active else { return false }
        append(isIntroduction: false, life: max(days * 86_400, Self.week))
        return true
    }

    /// The registration ends; its last event follows those that wait.
    mutating func end() {
        if state == .active {
            append(isIntroduction: false, life: Self.week)
            state = .ending
        } else if state != .ending {
            (state, waiting) = (nil, [])
        }
    }

    /// Returns whether an event was too old.
    mutating func sweep() -> Bool {
        let count = waiting.count
        waiting.removeAll { $0.dies <= now }
        settle()
        return waiting.count < count
    }

    mutating func apply(_ record: AttemptRecord) {
        guard state != nil else { return }
        let index = waiting.firstIndex { $0.position == record.position }
        switch record.result {
        case .delivered:
            if let index, waiting.remove(at: index).isIntroduction, state == .unconfirmed {
                state = .active
            }
        case .postponed(let attempts, let refusals, let due):
            guard let index else { break }
            if refusals > waiting[index].refusals {
                waiting[index].refusedFor += due.milliseconds - now.milliseconds
            }
            waiting[index].attempts = attempts
            waiting[index].refusals = refusals
            waiting[index].due = due
        case .parked:
            guard let index else { break }
            if state == .ending {
                waiting.remove(at: index)
            } else {
                waiting[index].isParked = true
            }
        case .dead, .refused: if let index { waiting.remove(at: index) }
        case .gone: (state, waiting) = (.gone, [])
        case .lapsed: (state, waiting) = (.lapsed, [])
        }
        settle()
    }

    /// A callback whose registration has ended goes with its last event.
    private mutating func settle() {
        if state == .ending, waiting.isEmpty { state = nil }
    }

    var record: CallbackRecord? {
        guard let state else { return nil }
        let head = head.map {
            CallbackRecord.Head(
                position: $0.position, id: MessageID(Bits128(high: 0, low: UInt64($0.position))),
                body: [], isIntroduction: $0.isIntroduction, attempts: $0.attempts,
                refusals: $0.refusals, due: $0.due, dies: $0.dies)
        }
        return CallbackRecord(
            callback: Callback(
                row: Self.row, url: "https://app.example/", userID: nil, secrets: []),
            state: state, created: created, head: head)
    }
}
