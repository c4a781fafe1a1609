package import Base
package import WebPush

/// Decrypts pushes. It keeps every algorithm and scratch object that OpenSSL would otherwise look
/// up and allocate for each message, so only the text itself is allocated.
///
/// Use one per thread.
package struct Decryptor: ~Copyable {
    private var curve: P256
    private var hash: SHA256
    private var cipher: GCM

    package init() throws(OpenSSLError) {
        let curve = try P256()
        let hash = try SHA256()
        let cipher = try GCM("AES-128-GCM", encrypts: false)
        self.curve = curve
        self.hash = hash
        self.cipher = cipher
    }

    /// Decrypts `body`, whose parameters have been read.
    package mutating func decrypt(
        _ body: Span<UInt8>, _ parameters: EncryptionParameters, keys: borrowing ReceiverKeys
    ) throws(DecryptionError) -> [UInt8] {
        guard try isOnCurve(parameters.senderKey) else { throw .refusal(.badPoint) }
        try DecryptionError.refusing { () throws(DecryptionRefusal) in
            try Record.check(parameters)
        }
        let secret: InlineArray<32, UInt8>
        do { secret = try curve.sharedSecret(with: keys.privateKey) } catch { throw .fault(error) }
        return try decrypt(
            body, parameters, sharedSecret: secret.span, receiver: keys.privateKey.publicKey,
            auth: keys.auth)
    }

    /// Whether `point` is a valid public key.
    package mutating func isOnCurve(
        _ point: UncompressedPoint
    ) throws(DecryptionError) -> Bool {
        do { return try curve.load(point) } catch { throw .fault(error) }
    }

    /// Decrypts a record whose structure has been checked, once the shared secret is known.
    package mutating func decrypt(
        _ body: Span<UInt8>, _ parameters: EncryptionParameters, sharedSecret: Span<UInt8>,
        receiver: UncompressedPoint, auth: Secret
    ) throws(DecryptionError) -> [UInt8] {
        let ciphertext = body.extracting(parameters.ciphertext)
        var text = 0..<0
        var failure: DecryptionError?
        var record = [UInt8](unsafeUninitializedCapacity: ciphertext.count) { output, count in
            do throws(DecryptionError) {
                text = try open(
                    ciphertext, parameters, sharedSecret, receiver, auth, into: output)
                count = text.upperBound
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if text.lowerBound > 0 { record.removeFirst(text.lowerBound) }
        return record
    }

    private mutating func open(
        _ ciphertext: Span<UInt8>, _ parameters: EncryptionParameters,
        _ sharedSecret: Span<UInt8>, _ receiver: UncompressedPoint, _ auth: Secret,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(DecryptionError) -> Range<Int> {
        let length: Int?
        do throws(OpenSSLError) {
            let schedule = try auth.withSpan { auth throws(OpenSSLError) in
                try KeySchedule(
                    sharedSecret: sharedSecret, auth: auth, receiver: receiver,
                    parameters: parameters, hash: &hash)
            }
            length = try cipher.open(
                ciphertext, key: schedule.contentKey.span, nonce: schedule.nonce.span,
                associated: Span(), into: output)
        } catch {
            throw .fault(error)
        }
        guard let length else { throw .refusal(.badTag) }
        let record = output.span.extracting(0..<length)
        return try DecryptionError.refusing { () throws(DecryptionRefusal) in
            try Record.text(of: record, encoding: parameters.encoding)
        }
    }
}
