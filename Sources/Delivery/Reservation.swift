import Synchronization

/// Counts the room that messages take, and remembers repetition marks. Any thread may use it.
package protocol ReservationKeeper: AnyObject, Sendable {
    func release(_ size: Int, for address: Address)
    func release(_ mark: RepetitionMark)
}

/// What a push holds before it is accepted: its mark, and room in the quotas of its address.
///
/// The store calls `spend` once it has the message. Otherwise the reservation is given back when
/// its last holder lets go of it, or when the store calls `end` with its answer, even if others
/// still hold the message. So a push that fails leaves nothing behind.
package struct Reservation: ~Copyable, Sendable {
    private struct Room {
        let size: Int
        let address: Address
    }

    package private(set) var mark: RepetitionMark?
    private var room: Room?
    private var keeper: (any ReservationKeeper)?
    /// The reservation was neither spent nor given back.
    private let isOpen = Atomic(true)

    /// Reserves nothing.
    package init() {}

    package mutating func add(_ mark: RepetitionMark, by keeper: any ReservationKeeper) {
        self.mark = mark
        self.keeper = keeper
    }

    package mutating func add(
        room size: Int, for address: Address, by keeper: any ReservationKeeper
    ) {
        room = Room(size: size, address: address)
        self.keeper = keeper
    }

    /// Moves the reservation out, and leaves an empty one.
    package mutating func take() -> Reservation {
        let taken = self
        self = Reservation()
        return taken
    }

    package func spend() { isOpen.store(false, ordering: .relaxed) }

    package func end() {
        guard let keeper, isOpen.exchange(false, ordering: .relaxed) else { return }
        if let room { keeper.release(room.size, for: room.address) }
        if let mark { keeper.release(mark) }
    }

    deinit { end() }
}

/// Identifies a push that its sender repeats, because it got no answer to the first.
///
/// It is derived with the endpoint key from the endpoint and the sender's name for the push. Only
/// someone who knows the endpoint can cause a mark for it, and a stored mark reveals neither.
package struct RepetitionMark: Hashable, Sendable {
    /// Homeservers stop repeating a push after a day.
    package static let lifetime: UInt32 = 25 * 3_600

    package let key: UInt64

    package init(key: UInt64) { self.key = max(1, key) }
}
