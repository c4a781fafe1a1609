/// Somebody to whom devices belong, with what there is of his.
package struct Owner: Sendable, Equatable {
    package let row: UInt32
    package let name: String
    /// Credentials.
    package let devices: Int
    /// What connected with them and subscribed to something.
    package let userAgents: Int
    package let endpoints: Int
}

/// What an owner may have, beside what `QuotaLimits` says of what waits.
package enum OwnerLimits {
    /// Credentials.
    package static let devices = 100
    /// Browsers that were installed anew count until their device is removed.
    static let userAgents = 500
    /// Accounts of applications. Administrators make as many as they like.
    package static let registrations = 10_000
}
