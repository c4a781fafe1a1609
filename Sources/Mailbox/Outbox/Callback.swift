package import Base
package import Delivery

/// Where the events of a registration are sent, and by what they are signed.
package struct Callback: Sendable, Confidential {
    package struct SigningSecret: Sendable, Confidential {
        package let secret: Secret
        /// Nil for the one in force; a former one signs beside it for a while.
        package let expiry: StoreTime?

        package init(_ secret: Secret, expiry: StoreTime? = nil) {
            self.secret = secret
            self.expiry = expiry
        }
    }

    /// The number of the registration, of which no other has had the same.
    package let row: UInt32
    package let url: String
    /// The user who made it by the control socket; nil for one that came over the network.
    package let userID: UInt32?
    /// Newest first.
    package var secrets: [SigningSecret]

    package init(row: UInt32, url: String, userID: UInt32?, secrets: [SigningSecret]) {
        self.row = row
        self.url = url
        self.userID = userID
        self.secrets = secrets
    }

    /// A former secret signs for a week after a new one was made.
    package static let graceOfSecret: UInt32 = 7 * 86_400
    /// Whoever has not confirmed a callback by then does not want it.
    package static let timeToConfirm: UInt32 = 3_600
}
