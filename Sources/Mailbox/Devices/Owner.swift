/// An owner of devices, with counts of what belongs to it.
package struct Owner: Sendable, Equatable {
    package let row: UInt32
    package let name: String
    /// Credentials.
    package let devices: Int
    /// User agents that connected with them and subscribed to something.
    package let userAgents: Int
    package let endpoints: Int
    package let registrations: Int
}

/// What an owner may have, besides the messages limited by `QuotaLimits`.
package enum OwnerLimits {
    /// Credentials.
    package static let devices = 100
    /// A reinstalled browser counts again until its device is removed.
    static let userAgents = 500
    /// Accounts of applications. Administrators have no limit.
    package static let registrations = 10_000
}
