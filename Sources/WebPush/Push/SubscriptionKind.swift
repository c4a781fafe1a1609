/// Who can read what is pushed to an endpoint, and where it goes. Stored by number.
package enum SubscriptionKind: UInt8, Sendable, CaseIterable {
    /// An application holds the keys; a user agent takes the bytes to it.
    case channel = 0
    /// We hold the keys.
    case receiver = 1
    /// Nobody holds keys: a push only says that there is something to fetch.
    case signal = 2
}
