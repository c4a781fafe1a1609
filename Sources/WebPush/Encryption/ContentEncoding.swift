/// The encryption of a push: the value of its Content-Encoding.
package enum ContentEncoding: String, Sendable, CaseIterable {
    /// RFC 8188 with the keys of RFC 8291: all parameters stand in the body.
    case aes128gcm
    /// draft-ietf-webpush-encryption-04, which Telegram and Mastodon still send: salt and key
    /// stand in the fields Encryption and Crypto-Key.
    case aesgcm

    package var word: StaticString {
        switch self {
        case .aes128gcm: "aes128gcm"
        case .aesgcm: "aesgcm"
        }
    }
}

/// Inputs of the key derivation besides keys and salt.
extension ContentEncoding {
    /// The record size that our own sender announces; some receivers accept no other.
    package static let usualRecordSize = 4096

    /// RFC 8291 section 3.4; draft-04 section 3.3.
    package var inputKeyLabel: StaticString {
        switch self {
        case .aes128gcm: "WebPush: info\0"
        case .aesgcm: "Content-Encoding: auth\0"
        }
    }

    package var contentKeyLabel: StaticString {
        switch self {
        case .aes128gcm: "Content-Encoding: aes128gcm\0"
        case .aesgcm: "Content-Encoding: aesgcm\0"
        }
    }

    package static let nonceLabel: StaticString = "Content-Encoding: nonce\0"

    /// draft-04 section 3.5: each public key in the context of aesgcm follows its 16-bit length.
    package static let contextLabel: StaticString = "P-256\0"
    package static let publicKeyLength: StaticString = "\0\u{41}"
}
