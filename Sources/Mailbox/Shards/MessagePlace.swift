package import Base
package import Delivery
package import WebPush

/// Where a waiting message is: one place keeps one message.
package struct MessagePlace: Equatable, Hashable, Sendable {
    package enum Slot: Equatable, Hashable, Sendable {
        case message(MessageID)
        /// Messages of one topic have the same place, so the newest replaces the others. It is a
        /// hash, because the sender chooses the topic and it may be revealing.
        case topic(Bits128)
    }

    package let address: Address
    package let slot: Slot

    package init(_ address: Address, _ slot: Slot) {
        self.address = address
        self.slot = slot
    }
}
