package import WebPush

/// The rows in the store of the subscription and the device that a message is for.
package struct Address: Hashable, Sendable {
    package let subscription: UInt32
    package let device: UInt32

    package init(subscription: UInt32, device: UInt32) {
        self.subscription = subscription
        self.device = device
    }
}

package struct MessageReference: Hashable, Sendable {
    package let id: MessageID
    package let address: Address
    package let sequence: Int64

    package init(id: MessageID, address: Address, sequence: Int64) {
        self.id = id
        self.address = address
        self.sequence = sequence
    }
}
