package import Reactor

/// Messages that are being delivered and may still be acknowledged before they are written.
///
/// Each is held for a moment: an acknowledgement takes it out, and it never touches the disk; the
/// others go to the store when their time is over. One for each loop. A value: time is passed in.
/// All that it does takes constant time, and only growth allocates.
package struct CommitWindow: ~Copyable {
    /// How long a message is held.
    package static let span = Interval(.milliseconds(2))

    /// Names a held message; after that left, it names nothing.
    package struct Slot: Hashable, Sendable {
        fileprivate let number: Int
    }

    private let limit: Int
    /// Two rings: what is of slot `n` stands at `n` modulo their length, a power of two.
    private var messages: [Message?]
    private var deadlines: [Instant]
    private var first = 0
    private var end = 0
    private var held = 0

    /// Holds at most `limit` messages; with more, the oldest are due at once.
    package init(limit: Int = 4_096) {
        self.limit = limit
        messages = Array(repeating: nil, count: 64)
        deadlines = Array(repeating: Instant(nanoseconds: 0), count: 64)
    }

    package var count: Int { held }

    /// When the next message is due; nil when none is held.
    package var deadline: Instant? { held == 0 ? nil : deadlines[index(first)] }

    package mutating func hold(_ message: Message, at now: Instant) -> Slot {
        if end - first == messages.count { grow() }
        messages[index(end)] = message
        deadlines[index(end)] = now + Self.span
        held += 1
        defer { end += 1 }
        return Slot(number: end)
    }

    /// Takes out a message that was acknowledged, or ended otherwise; nil if it is no longer held.
    package mutating func take(_ slot: Slot) -> Message? {
        guard slot.number >= first, slot.number < end,
            let message = messages[index(slot.number)].take()
        else { return nil }
        held -= 1
        passTaken()
        return message
    }

    /// The next message whose time is over, in order of arrival: it goes to the store.
    package mutating func popDue(_ now: Instant) -> Message? {
        guard held > 0, deadlines[index(first)] <= now || held > limit else { return nil }
        return take(Slot(number: first))
    }

    /// The next message, due or not: for the end of a loop.
    package mutating func pop() -> Message? {
        held == 0 ? nil : take(Slot(number: first))
    }

    /// The first slot is always one that holds a message, unless none does.
    private mutating func passTaken() {
        while first < end, messages[index(first)] == nil { first += 1 }
    }

    private func index(_ number: Int) -> Int { number & (messages.count - 1) }

    private mutating func grow() {
        let (oldMessages, oldDeadlines) = (messages, deadlines)
        let count = 2 * oldMessages.count
        messages = Array(repeating: nil, count: count)
        deadlines = Array(repeating: Instant(nanoseconds: 0), count: count)
        for number in first..<end {
            messages[index(number)] = oldMessages[number & (count / 2 - 1)]
            deadlines[index(number)] = oldDeadlines[number & (count / 2 - 1)]
        }
    }
}
