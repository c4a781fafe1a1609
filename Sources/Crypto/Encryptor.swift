package import Base
package import WebPush

/// Encrypts pushes, as an application server does.
package struct Encryptor: ~Copyable {
    package enum Failure: Error, Equatable {
        /// The text does not fit into one record.
        case tooLong(limit: Int)
        /// The receiver's key is not a point on the curve.
        case badReceiverKey
        case fault(OpenSSLError)
    }

    private var curve: P256
    private var hash: SHA256
    private var cipher: GCM

    package init() throws(OpenSSLError) {
        let curve = try P256()
        let hash = try SHA256()
        let cipher = try GCM("AES-128-GCM", encrypts: true)
        self.curve = curve
        self.hash = hash
        self.cipher = cipher
    }

    /// The longest text that fits into one record below the announced size (RFC 8291 section 4).
    package static func textLimit(for encoding: ContentEncoding) -> Int {
        switch encoding {
        case .aes128gcm: ContentEncoding.usualRecordSize - 1 - GCM.tagLength - 1
        case .aesgcm: ContentEncoding.usualRecordSize - 2 - 1
        }
    }

    /// Encrypts for `receiver` with a new key and salt.
    package mutating func encrypt(
        _ text: Span<UInt8>, for receiver: UncompressedPoint, auth: Secret,
        encoding: ContentEncoding
    ) throws(Failure) -> EncryptedPush {
        let salt: [UInt8]
        let sender: PrivateKey
        do throws(OpenSSLError) {
            salt = try Random.bytes(count: 16)
            sender = try .generate()
        } catch {
            throw .fault(error)
        }
        return try encrypt(
            text, for: receiver, auth: auth, encoding: encoding, sender: sender, salt: salt.span)
    }

    /// The deterministic part: never use a `sender` and `salt` twice.
    package mutating func encrypt(
        _ text: Span<UInt8>, for receiver: UncompressedPoint, auth: Secret,
        encoding: ContentEncoding, sender: borrowing PrivateKey, salt: Span<UInt8>,
        padding: Int = 0
    ) throws(Failure) -> EncryptedPush {
        let limit = Self.textLimit(for: encoding)
        guard text.count + padding <= limit else { throw .tooLong(limit: limit - padding) }
        let isOnCurve: Bool
        do { isOnCurve = try curve.load(receiver) } catch { throw .fault(error) }
        guard isOnCurve else { throw .badReceiverKey }
        let record = Record.padded(text, padding: padding, encoding: encoding)
        let parameters = EncryptionParameters(
            encoding: encoding, salt: EncryptionParameters.Salt { salt[$0] },
            senderKey: sender.publicKey,
            recordSize: UInt64(ContentEncoding.usualRecordSize), ciphertext: 0..<0)
        let sealed: [UInt8]
        do throws(OpenSSLError) {
            sealed = try seal(record, parameters, sender, receiver, auth)
        } catch {
            throw .fault(error)
        }
        return EncryptedPush(
            record: sealed, encoding: encoding, salt: salt, senderKey: sender.publicKey)
    }

    private mutating func seal(
        _ record: [UInt8], _ parameters: EncryptionParameters, _ sender: borrowing PrivateKey,
        _ receiver: UncompressedPoint, _ auth: Secret
    ) throws(OpenSSLError) -> [UInt8] {
        let secret = try curve.sharedSecret(with: sender)
        let schedule = try auth.withSpan { auth throws(OpenSSLError) in
            try KeySchedule(
                sharedSecret: secret.span, auth: auth, receiver: receiver,
                parameters: parameters, hash: &hash)
        }
        var sealed: [UInt8] = []
        try cipher.seal(
            record.span, key: schedule.contentKey.span, nonce: schedule.nonce.span,
            associated: Span(), appendingTo: &sealed)
        return sealed
    }
}
