/// Who can read pushes to an endpoint, and where they go. Stored by number.
package enum SubscriptionKind: UInt8, Sendable, CaseIterable {
    /// An application holds the keys; a user agent delivers the bytes to it.
    case channel = 0
    /// This server holds the keys.
    case receiver = 1
    /// There are no keys: a push only says that there is something to fetch.
    case signal = 2
}
