import Glibc

/// A point on the monotonic clock, which stands still while the machine is suspended.
package struct Instant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: Instant { Instant(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC)) }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + interval.nanoseconds)
    }
}

/// A length of time in whole nanoseconds.
///
/// It is converted from a `Duration` only once: the division costs more than the rest of a timer.
package struct Interval: Hashable, Sendable {
    package let nanoseconds: Int64

    /// Allows at most 100 years, so that adding it to a clock cannot overflow. Negative durations
    /// become zero.
    package init(_ duration: Duration) {
        nanoseconds = Int64(
            clamping: min(max(0, duration.attoseconds / 1_000_000_000), Self.limit))
    }

    package init(from start: Instant, to end: Instant) {
        nanoseconds = max(0, end.nanoseconds - start.nanoseconds)
    }

    private static let limit = Int128(100 * 365 * 86_400) * 1_000_000_000
}

/// Identifies one scheduled timer, also after it fired or was cancelled: an ID is not reused.
package struct TimerID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// Deadlines go in, due payloads come out. It reads no clock.
///
/// It is a heap with four children per node. Moving a timer to a later deadline, as every request
/// does with an idle timeout, only stores the new deadline; the heap is corrected when the timer
/// reaches the top, at most once per original deadline.
struct TimerQueue<Payload> {
    private struct Slot {
        var payload: Payload?
        var deadline: Instant
        var place: Int32
        var generation: UInt32
    }

    private struct Node {
        /// The time that sorts the heap; never later than the deadline of the slot.
        var key: Instant
        var slot: UInt32
    }

    private var slots: [Slot] = []
    private var vacant: [UInt32] = []
    private var heap: [Node] = []

    var count: Int { heap.count }

    /// Nothing is due before this; the first deadline may be later.
    var earliest: Instant? { heap.first?.key }

    mutating func schedule(_ payload: Payload, at deadline: Instant) -> TimerID {
        let slot: UInt32
        if let last = vacant.popLast() {
            slot = last
            slots[Int(slot)].payload = payload
            slots[Int(slot)].deadline = deadline
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot(payload: payload, deadline: deadline, place: 0, generation: 0))
        }
        heap.append(Node(key: deadline, slot: slot))
        rise(from: heap.count - 1)
        return TimerID(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Moves a timer to another deadline; false if it fired or was cancelled.
    mutating func reschedule(_ id: TimerID, at deadline: Instant) -> Bool {
        guard isPending(id) else { return false }
        let isLater = deadline >= slots[Int(id.slot)].deadline
        slots[Int(id.slot)].deadline = deadline
        if isLater { return true }
        let place = Int(slots[Int(id.slot)].place)
        if deadline < heap[place].key {
            heap[place].key = deadline
            rise(from: place)
        }
        return true
    }

    /// Returns the payload of the timer; nil if it fired or was cancelled.
    mutating func cancel(_ id: TimerID) -> Payload? {
        guard isPending(id) else { return nil }
        return remove(at: Int(slots[Int(id.slot)].place))
    }

    /// Removes the earliest timer that is due. Timers with the same deadline come in any order.
    mutating func popDue(_ now: Instant) -> Payload? {
        while let first = heap.first, first.key <= now {
            let deadline = slots[Int(first.slot)].deadline
            if deadline == first.key { return remove(at: 0) }
            heap[0].key = deadline
            sink(from: 0)
        }
        return nil
    }

    private func isPending(_ id: TimerID) -> Bool {
        slots[Int(id.slot)].generation == id.generation
    }

    private mutating func remove(at place: Int) -> Payload? {
        let slot = heap[place].slot
        let last = heap.removeLast()
        if place < heap.count {
            heap[place] = last
            rise(from: place)
            sink(from: Int(slots[Int(last.slot)].place))
        }
        let payload = slots[Int(slot)].payload.take()
        slots[Int(slot)].generation &+= 1
        vacant.append(slot)
        return payload
    }

    private mutating func rise(from start: Int) {
        let node = heap[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 4
            guard node.key < heap[parent].key else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(node, at: place)
    }

    private mutating func sink(from start: Int) {
        let node = heap[start]
        var place = start
        while true {
            let first = place * 4 + 1
            guard first < heap.count else { break }
            var least = first
            for child in first + 1..<max(min(first + 4, heap.count), first + 1)
            where heap[child].key < heap[least].key {
                least = child
            }
            guard heap[least].key < node.key else { break }
            put(heap[least], at: place)
            place = least
        }
        put(node, at: place)
    }

    private mutating func put(_ node: Node, at place: Int) {
        heap[place] = node
        slots[Int(node.slot)].place = Int32(truncatingIfNeeded: place)
    }
}
