import Base

/// A topic whose messages go to a push subscription of others, or all topics of an owner. The
/// callback of the same number says where that is.
package struct Forward: Sendable {
    package let row: UInt32
    package let owner: String
    /// The registration of the topic; nil for all that the owner has, and will have.
    package let topic: UInt32?

    package init(row: UInt32, owner: String, topic: UInt32?) {
        (self.row, self.owner, self.topic) = (row, owner, topic)
    }

    /// In seconds. It ends if it is not confirmed by then.
    package static let timeToConfirm: UInt32 = 86_400
    /// So often its introduction is tried.
    static let introductions = 3
    /// In seconds. No push service keeps a message longer.
    package static let longestLife: UInt32 = 28 * 86_400
    /// In seconds. A message that is not kept is for who listens now, and has to get there first.
    static let shortestLife: UInt32 = 60
}

/// Operations on forwards.
package enum ForwardOperation: Sendable {
    /// `.notFound` if the topic has ended, and `.tooMany` at a limit.
    case make(Forward, Callback, introduction: OutboxEvent)
    /// `.conflict` if it is another code. One that a restore brought back needs none.
    case confirm(UInt32, code: String)
    case end(UInt32)

    var size: Int { if case .make(_, _, let event) = self { event.body.count } else { 0 } }
}

/// A forward as its owner sees it.
package struct ForwardRecord: Sendable, Confidential {
    package let forward: Forward
    package let callback: Callback
    package let state: CallbackState
    /// The topic; nil if it is for all, or cannot be read.
    package let registration: Registration?
    /// Seconds since 1970, like the next.
    package let created: Int64
    /// When the push service took a message last; nil if it never did.
    package let delivered: Int64?
    /// What it answered last, as a status; nil if nothing was sent yet, and 0 if it did not answer.
    package let status: Int?
    package let reason: String?
    /// How many messages wait.
    package let waiting: Int

    init(
        _ forward: Forward, _ callback: Callback, _ state: CallbackState,
        of registration: Registration?, created: Int64, delivered: Int64?, status: Int?,
        reason: String?, waiting: Int
    ) {
        (self.forward, self.callback, self.state) = (forward, callback, state)
        (self.registration, self.created, self.delivered) = (registration, created, delivered)
        (self.status, self.reason, self.waiting) = (status, reason, waiting)
    }

    /// One that is about to be made.
    package init(
        new forward: Forward, _ callback: Callback, of registration: Registration?,
        at created: Int64
    ) {
        self.init(
            forward, callback, .unconfirmed, of: registration, created: created, delivered: nil,
            status: nil, reason: nil, waiting: 1)
    }
}
