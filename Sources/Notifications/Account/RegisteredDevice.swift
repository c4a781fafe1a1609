import Base

/// The arguments of `registerDevice` for one type of token.
package struct RegisteredDevice: Equatable, Sendable, Confidential {
    package var tokenType: Int32
    package var token: String
    package var otherUserIDs: [Int64]
    package var isSandbox: Bool
    /// The key with which Telegram encrypts pushes to this token.
    package var encryption: Encryption?

    /// The 256 bytes given to the server, and the number by which the server refers to them.
    package struct Encryption: Equatable, Sendable, Confidential {
        package let keyID: Int64
        package let secret: [UInt8]

        package init(keyID: Int64, secret: [UInt8]) {
            self.keyID = keyID
            self.secret = secret
        }
    }
}
