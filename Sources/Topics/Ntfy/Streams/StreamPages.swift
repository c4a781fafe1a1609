import Base

/// A message of a topic with its place in the history. It is immutable, so any thread may read it.
package final class PlacedMessage: Sendable, Confidential {
    /// Positions grow from one commit to the next, in all topics of an owner together. Nil for a
    /// message that is not kept, or not due yet.
    package let position: Int64?
    package let topic: TopicName
    package let message: TopicMessage

    package init(_ message: TopicMessage, in topic: TopicName, at position: Int64?) {
        self.message = message
        self.topic = topic
        self.position = position
    }
}

/// What a stream asks the store for, a page at a time.
package enum StreamPageRequest: Equatable, Sendable {
    /// Decide what the replay has, and read its first page.
    case replay(StreamSince)
    /// The next page of a replay, after this position.
    case replayed(ReplayRange, after: Int64)
    /// All that was committed after this position.
    case missed(after: Int64)
}

/// Part of what is stored for a stream, in the order of positions.
///
/// A page has what was committed when it was read. All pages together have every message of the
/// topics up to `through`, so a stream neither misses a message nor gets it twice if it hears of all
/// that are committed from the moment on at which it asks for the first page.
package struct StreamPage: Sendable {
    /// After the last of a replay, those that are not due yet if the reader wants them.
    package let messages: [PlacedMessage]
    /// Everything up to this position was looked at: the last message of the page if there are
    /// more, and otherwise the end of the replay, or the owner's newest position.
    package let through: Int64
    /// Of the first page of a replay.
    package let plan: ReplayPlan?

    package init(_ messages: [PlacedMessage], through: Int64, plan: ReplayPlan? = nil) {
        self.messages = messages
        self.through = through
        self.plan = plan
    }
}
