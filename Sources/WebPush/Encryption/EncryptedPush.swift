import Base

/// An outgoing push: its body, and the fields that describe its encryption.
package struct EncryptedPush: Sendable, Confidential {
    package let encoding: ContentEncoding
    package let body: [UInt8]
    /// Encryption and Crypto-Key for aesgcm, nothing for aes128gcm.
    package let fields: [(name: String, value: String)]

    package init(
        record: [UInt8], encoding: ContentEncoding, salt: Span<UInt8>,
        senderKey: UncompressedPoint
    ) {
        self.encoding = encoding
        let key = senderKey.withSpan { $0.array($0.indices) }
        switch encoding {
        case .aes128gcm:
            let size = UInt32(ContentEncoding.usualRecordSize)
            let sizeBytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
            let header = salt.array(salt.indices) + sizeBytes + [UInt8(key.count)]
            body = header + key + record
            fields = []
        case .aesgcm:
            body = record
            fields = [
                ("Encryption", "salt=" + Base64URL.text(salt)),
                ("Crypto-Key", "dh=" + Base64URL.text(key.span)),
            ]
        }
    }
}
