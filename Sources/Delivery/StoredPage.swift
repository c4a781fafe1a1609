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
