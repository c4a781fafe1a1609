package import Base
package import Delivery

/// Where the events of a registration are sent, and how they are signed.
package struct Callback: Sendable, Confidential {
    package struct SigningSecret: Sendable, Confidential {
        package let secret: Secret
        /// Nil for the current one; a former one also signs until it expires.
        package let expiry: StoreTime?

        package init(_ secret: Secret, expiry: StoreTime? = nil) {
            self.secret = secret
            self.expiry = expiry
        }
    }

    /// The number of the registration, never used by another.
    package let row: UInt32
    package let url: String
    /// The user who created it through the control socket; nil if it came over the network.
    package let userID: UInt32?
    /// Newest first.
    package var secrets: [SigningSecret]

    package init(row: UInt32, url: String, userID: UInt32?, secrets: [SigningSecret]) {
        self.row = row
        self.url = url
        self.userID = userID
        self.secrets = secrets
    }

    /// A former secret also signs for a week after a new one is set.
    package static let graceOfSecret: UInt32 = 7 * 86_400
    /// A callback that is not confirmed by then is not wanted.
    package static let timeToConfirm: UInt32 = 3_600
}
