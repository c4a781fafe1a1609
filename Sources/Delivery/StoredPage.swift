/// Asks for what waits for a device, a page at a time.
package struct PageRequest: Equatable, Sendable {
    package let device: UInt32
    /// Only what was accepted after this.
    package let sequence: Int64
    /// Only what was committed up to this; nil for all there is.
    package let position: Int64?

    /// The first page.
    package init(device: UInt32) {
        self.init(device: device, sequence: 0, position: nil)
    }

    package init(device: UInt32, sequence: Int64, position: Int64?) {
        self.device = device
        self.sequence = sequence
        self.position = position
    }
}

/// Part of what waits for a device, in order of acceptance and without what has expired.
///
/// All pages together are what was stored when the first was read, less what ended since: every
/// message whose `.stored(position:)` is at most `through`, and none behind it. So a session neither
/// misses a message nor gets it twice if it
/// 1. can be found by those who accept messages before it asks for the first page,
/// 2. passes over what was handed to it directly meanwhile (by id, acknowledged or not), and
/// 3. is handed a message that was stored while no session, or another one, was there, when the
///    answer `.stored(position:)` comes, and takes it only if `position > through`.
package struct StoredPage: Sendable {
    package let messages: [Message]
    package let through: Int64
    /// Asks for the page behind this one; nil when this is the last.
    package let next: PageRequest?
    /// Messages that could not be opened. They stay; it is our fault.
    package let damaged: Int

    package init(messages: [Message], through: Int64, next: PageRequest?, damaged: Int) {
        self.messages = messages
        self.through = through
        self.next = next
        self.damaged = damaged
    }
}
