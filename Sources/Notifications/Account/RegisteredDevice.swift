import Base

/// What `registerDevice` was called with, for one type of token.
package struct RegisteredDevice: Equatable, Sendable, Confidential {
    package var tokenType: Int32
    package var token: String
    package var otherUserIDs: [Int64]
    package var isSandbox: Bool
    /// Under which Telegram encrypts what it pushes to this token.
    package var encryption: Encryption?

    /// The 256 bytes that the server is given, and the number under which it names them.
    package struct Encryption: Equatable, Sendable, Confidential {
        package let keyID: Int64
        package let secret: [UInt8]

        package init(keyID: Int64, secret: [UInt8]) {
            self.keyID = keyID
            self.secret = secret
        }
    }
}
