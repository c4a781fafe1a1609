import Base
package import Delivery
package import WebPush

/// A stored callback with its next event.
package struct CallbackRecord: Sendable, Confidential {
    package struct Head: Sendable, Confidential {
        package let position: Int64
        package let id: MessageID
        package let body: [UInt8]
        package let isIntroduction: Bool
        package let attempts: Int
        /// How many attempts were answered with a refusal.
        package let refusals: Int
        package let due: StoreTime
        package let dies: StoreTime

        package init(
            position: Int64, id: MessageID, body: [UInt8], isIntroduction: Bool, attempts: Int,
            refusals: Int, due: StoreTime, dies: StoreTime
        ) {
            self.position = position
            self.id = id
            self.body = body
            self.isIntroduction = isIntroduction
            self.attempts = attempts
            self.refusals = refusals
            self.due = due
            self.dies = dies
        }
    }

    package let callback: Callback
    package let state: CallbackState
    package let created: StoreTime
    package let head: Head?

    package init(callback: Callback, state: CallbackState, created: StoreTime, head: Head?) {
        self.callback = callback
        self.state = state
        self.created = created
        self.head = head
    }
}

/// Whether a callback is sent anything. It is stored as its number.
package enum CallbackState: Int64, Sendable {
    /// The receiver has not confirmed it yet.
    case unconfirmed = 0
    case active = 1
    /// The registration has ended; only the outbox is still sent.
    case ending = 2
    /// The receiver answered 410.
    case gone = 3
    /// Nobody confirmed it in time.
    case lapsed = 4

    var takesEvents: Bool { self == .unconfirmed || self == .active }
}
