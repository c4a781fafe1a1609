/// How much of what a user agent was sent it may have left unacknowledged.
package enum DeliveryWindow {
    package static let countLimit = 128
    /// Of bodies together. One alone is always let through.
    package static let byteLimit = 1 << 20
}
