/// What is wrong with the fields that describe how a push is encrypted.
///
/// The raw value is the text for the sender.
package enum EncryptionFault: String, Error, Sendable, CaseIterable {
    case missingEncoding = "Missing Content-Encoding header"
    case unknownEncoding = "Unknown Content-Encoding header"
    case missingEncryption = "Missing Encryption header"
    case badEncryption = "Invalid Encryption header"
    case missingSalt = "Missing salt value in Encryption header"
    case badSalt = "Invalid salt value in Encryption header"
    case needlessSalt = "Do not include 'salt' header in aes128gcm Encryption header"
    case badCryptoKey = "Invalid Crypto-Key header"
    case missingDH = "Missing dh value in Crypto-Key header"
    case badDH = "Invalid dh value in Crypto-Key header"
    case needlessDH = "Do not include 'dh' header in aes128gcm Crypto-Key header"
    case sharedKey = "The same key signs and encrypts"
    // The older drafts of VAPID have their key in Crypto-Key.
    case missingCryptoKey = "Missing Crypto-Key header"
    case missingServerKey = "Missing p256ecdsa in Crypto-Key header"
}
