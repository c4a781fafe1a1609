/// Replies that wait until all acknowledgements before them are recorded: a client that gets a
/// reply after an acknowledgement may rely on that acknowledgement.
struct HeldReplies: Sendable {
    private var replies: [[UInt8]] = []
    private var unrecorded = 0

    /// Far more than an honest client asks for while one commit runs.
    private static let limit = 256

    /// More than a client acknowledges at once if it reads as fast as messages are sent.
    private static let crowd = 1_024

    var isHolding: Bool { unrecorded > 0 }
    /// The store has so much to record for this client that the client must not ask for more.
    var isCrowded: Bool { unrecorded >= Self.crowd }

    /// An acknowledgement goes to the store. Returns true if it is the only one.
    mutating func hold() -> Bool {
        unrecorded += 1
        return unrecorded == 1
    }

    /// An acknowledgement was recorded. Returns the replies to send now, if it was the last one.
    mutating func release() -> [[UInt8]]? {
        unrecorded -= 1
        guard unrecorded == 0 else { return nil }
        defer { replies = [] }
        return replies
    }

    /// Returns false, and keeps nothing, if there is no room.
    mutating func put(_ reply: borrowing [UInt8]) -> Bool {
        guard replies.count < Self.limit else { return false }
        replies.append(copy reply)
        return true
    }
}
