/// How many delivered messages a user agent may leave unacknowledged.
package enum DeliveryWindow {
    package static let countLimit = 128
    /// Bytes of all bodies together. A single message is always sent.
    package static let byteLimit = 1 << 20
}
