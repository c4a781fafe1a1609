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
    }

    package let callback: Callback
    package let state: CallbackState
    package let created: StoreTime
    package let head: Head?
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
