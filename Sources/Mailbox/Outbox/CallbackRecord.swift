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
