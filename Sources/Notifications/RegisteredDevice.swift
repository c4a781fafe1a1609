/// What `registerDevice` was called with, for one type of token.
package struct RegisteredDevice: Equatable, Sendable {
    package var tokenType: Int32
    package var token: String
    package var otherUserIDs: [Int64]
    package var isSandbox: Bool
    package var isEncrypted: Bool
}
