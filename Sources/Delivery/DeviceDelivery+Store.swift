package import WebPush

/// Answers from the store.
extension DeviceDelivery {
    /// The message is on the disk, at this position. Positions up to `through` were in the pages
    /// read so far.
    package mutating func stored(
        _ message: Message, at position: Int64, now: @autoclosure () -> StoreTime,
        _ actions: inout [DeliveryAction]
    ) {
        if let index = index(of: message.id) {
            outstanding[index].place = .stored
            return
        }
        if settled[message.id] == .unstored { return forget(message.id) }
        guard settled[message.id] == nil, message.expiry > now(), wants(message.content.urgency)
        else { return }
        guard position > through, isLive, send(message, .stored, &actions) else {
            hasToRead = true
            return readIfPossible(&actions)
        }
    }

    /// Another store has stored a message for the device, at this position.
    package mutating func stored(elsewhere position: Int64, _ actions: inout [DeliveryAction]) {
        guard position > through else { return }
        hasToRead = device != nil
        readIfPossible(&actions)
    }

    /// The message was not stored, because its subscription has ended. True if the device was sent
    /// it before: then it is no message that never arrived.
    @discardableResult
    package mutating func lost(_ id: MessageID, _ actions: inout [DeliveryAction]) -> Bool {
        guard let index = index(of: id) else {
            defer { undecided(id) }
            return settled[id] != nil
        }
        _ = remove(at: index)
        goOn(&actions)
        return true
    }

    /// The store may have the message or not. An acknowledgement would end it there anyway; true if
    /// the device has sent it.
    @discardableResult
    package mutating func undecided(_ id: MessageID) -> Bool {
        if let index = index(of: id) {
            outstanding[index].place = .stored
            return false
        }
        guard settled[id] == .unstored else { return settled[id] != nil }
        forget(id)
        return false
    }

    /// A page that is being read may still contain the message.
    mutating func forget(_ id: MessageID) {
        settled[id] = isReading ? .recorded : nil
        #if PLANTED
            if mistake == .forgetsSettled { settled[id] = nil }
        #endif
    }

    /// An acknowledgement is on the disk.
    package mutating func recorded(_ id: MessageID, _ actions: inout [DeliveryAction]) {
        if let waiting = replies.release() {
            actions.append(.releasePongs)
            for reply in waiting { actions.append(.say(reply)) }
        }
        forget(id)
    }

    /// The store failed to record an acknowledgement.
    package mutating func unrecorded(
        _ acknowledgement: Acknowledgement, _ actions: inout [DeliveryAction]
    ) {
        settled[acknowledgement.id] = .waiting(acknowledgement)
        wait(&actions)
    }

    private mutating func wait(_ actions: inout [DeliveryAction]) {
        if !willTryAgain { actions.append(.wait) }
        willTryAgain = true
    }

    package mutating func tryAgain(_ actions: inout [DeliveryAction]) {
        willTryAgain = false
        for (id, settlement) in settled {
            guard case .waiting(let acknowledgement) = settlement else { continue }
            settled[id] = .underWay
            actions.append(.record(acknowledgement))
        }
        readIfPossible(&actions)
    }

    mutating func readAnew(_ actions: inout [DeliveryAction]) {
        isFull = false
        hasToRead = device != nil
        readIfPossible(&actions)
    }

    private mutating func readIfPossible(_ actions: inout [DeliveryAction]) {
        guard let device, isOpen, hasToRead, !isReading, !isFull else { return }
        hasToRead = false
        isReading = true
        actions.append(.read(PageRequest(device: device)))
    }

    /// The store answered with a page of waiting messages.
    package mutating func read(_ page: StoredPage, _ actions: inout [DeliveryAction]) {
        guard isOpen else { return }
        through = max(through, page.through)
        for message in page.messages where !isFull && !isKnown(message.id) {
            _ = send(message, .stored, &actions)
        }
        if !isFull, let next = page.next { return actions.append(.read(next)) }
        isReading = false
        if !settled.isEmpty { settled = settled.filter { $0.value != .recorded } }
        // The rest is read when there is room again.
        if isFull { hasToRead = true } else { readIfPossible(&actions) }
    }

    private func isKnown(_ id: MessageID) -> Bool {
        #if PLANTED
            if mistake == .sendsTwice { return settled[id] != nil }
        #endif
        return settled[id] != nil || index(of: id) != nil
    }

    /// The store could not be read.
    package mutating func unreadable(_ actions: inout [DeliveryAction]) {
        isReading = false
        hasToRead = true
        wait(&actions)
    }
}

/// Asks for what waits for a device, a page at a time.
package struct PageRequest: Equatable, Sendable {
    package let device: UInt32
    /// Only messages accepted after this one.
    package let sequence: Int64
    /// Only messages committed up to this position; nil for all.
    package let position: Int64?

    package init(device: UInt32) {
        self.init(device: device, sequence: 0, position: nil)
    }

    package init(device: UInt32, sequence: Int64, position: Int64?) {
        self.device = device
        self.sequence = sequence
        self.position = position
    }
}

/// Part of what waits for a device, in order of acceptance, without expired messages.
///
/// All pages together hold what was stored when the first was read, except what ended since: every
/// message whose `.stored(position:)` is at most `through`, and none after it. A session neither
/// misses a message nor gets it twice if
/// 1. new messages can reach it before it asks for the first page,
/// 2. it skips messages that it got directly meanwhile (by id, acknowledged or not), and
/// 3. it is told of every other message with `.stored(position:)`, and takes those after `through`.
package struct StoredPage: Sendable {
    package let messages: [Message]
    package let through: Int64
    /// Asks for the next page; nil if this is the last.
    package let next: PageRequest?
    /// Messages that the server failed to read. They stay in the store.
    package let damaged: Int

    package init(messages: [Message], through: Int64, next: PageRequest?, damaged: Int) {
        self.messages = messages
        self.through = through
        self.next = next
        self.damaged = damaged
    }
}

/// Schedules when messages that were sent to devices, and not acknowledged yet, must be written.
///
/// It knows only which device to ask and when; each delivery knows what it holds. Time is passed
/// in, in nanoseconds of a clock that never goes back. Every operation takes constant time, and
/// only growth allocates.
package struct CommitWindow: ~Copyable {
    package static let span: Int64 = 2_000_000

    private struct Due {
        let device: UInt32
        let time: Int64
    }

    private let limit: Int
    /// A ring: entry `n` is at `n` modulo its length, which is a power of two.
    private var ring = Array(repeating: Due(device: 0, time: 0), count: 64)
    private var first = 0
    private var end = 0
    /// How many messages are held. The ring may also contain entries of messages already let go.
    package private(set) var count = 0

    /// If more than `limit` messages are held, the oldest are due at once.
    package init(limit: Int = 4_096) { self.limit = limit }

    /// When the next messages are due; nil while nothing is held.
    package var deadline: Int64? { count > 0 && first < end ? ring[index(first)].time : nil }

    /// Messages must be held in the order of their time.
    package mutating func hold(_ device: UInt32, until time: Int64) {
        if end - first == ring.count { grow() }
        ring[index(end)] = Due(device: device, time: time)
        end += 1
        count += 1
    }

    /// Call this once for each message that is no longer held.
    package mutating func letGo() {
        count -= 1
        if count == 0 { first = end }
    }

    /// The next device that may hold due messages, and the time up to which they are due.
    package mutating func next(_ now: Int64) -> (device: UInt32, time: Int64)? {
        guard first < end else { return nil }
        let due = ring[index(first)]
        guard due.time <= now || count > limit else { return nil }
        first += 1
        return (due.device, due.time)
    }

    private func index(_ number: Int) -> Int { number & (ring.count - 1) }

    private mutating func grow() {
        let old = ring
        ring += old
        for number in first..<end { ring[index(number)] = old[number & (old.count - 1)] }
    }
}
