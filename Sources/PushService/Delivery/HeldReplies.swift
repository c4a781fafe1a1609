/// Replies that wait until all acknowledgements before them are recorded.
struct HeldReplies {
    private var replies: [[UInt8]] = []
    private var unrecorded = 0

    /// Far more than an honest client asks for in the time of a commit.
    private static let limit = 256

    /// More than a client has acknowledged at once that reads as fast as it is sent.
    private static let crowd = 1_024

    var isHolding: Bool { unrecorded > 0 }
    /// The store has so much to do for this client that it is not to ask for more.
    var isCrowded: Bool { unrecorded >= Self.crowd }

    /// An acknowledgement is on its way to the store. True for the first one.
    mutating func hold() -> Bool {
        unrecorded += 1
        return unrecorded == 1
    }

    /// An acknowledgement was recorded. What may be said now, if it was the last one.
    mutating func release() -> [[UInt8]]? {
        unrecorded -= 1
        guard unrecorded == 0 else { return nil }
        defer { replies = [] }
        return replies
    }

    /// False, and nothing is kept, if there is no room.
    mutating func put(_ reply: borrowing [UInt8]) -> Bool {
        guard replies.count < Self.limit else { return false }
        replies.append(copy reply)
        return true
    }
}
