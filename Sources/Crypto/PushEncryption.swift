package import Base
package import WebPush

/// The content key and nonce of one push (RFC 8291 section 3.4; draft-04 sections 3.3 to 3.5).
struct KeySchedule: ~Copyable {
    typealias ContentKey = InlineArray<16, UInt8>
    typealias Nonce = InlineArray<12, UInt8>

    let contentKey: ContentKey
    let nonce: Nonce

    init(
        sharedSecret: Span<UInt8>, auth: Span<UInt8>, receiver: UncompressedPoint,
        parameters: EncryptionParameters, hash: inout SHA256
    ) throws(OpenSSLError) {
        let encoding = parameters.encoding
        let combined = try hash.hmac(key: auth, sharedSecret)

        try hash.beginHMAC(key: combined.span)
        try hash.update(encoding.inputKeyLabel)
        if case .aes128gcm = encoding {
            try hash.update(receiver)
            try hash.update(parameters.senderKey)
        }
        try hash.update(Self.firstBlock)
        let inputKey = try hash.finishHMAC()
        let key = try hash.hmac(key: parameters.salt.span, inputKey.span)

        try hash.beginHMAC(key: key.span)
        try hash.update(encoding.contentKeyLabel)
        try Self.updateContext(receiver, parameters, &hash)
        let contentKeyBlock = try hash.finishHMAC()

        hash.beginHMACUnderSameKey()
        try hash.update(ContentEncoding.nonceLabel)
        try Self.updateContext(receiver, parameters, &hash)
        let nonceBlock = try hash.finishHMAC()

        contentKey = contentKeyBlock.span.withUnsafeBytes { $0.loadUnaligned(as: ContentKey.self) }
        nonce = nonceBlock.span.withUnsafeBytes { $0.loadUnaligned(as: Nonce.self) }
    }

    /// RFC 5869 section 2.3: nothing here is longer than the first block of HKDF.
    private static let firstBlock: StaticString = "\u{1}"

    private static func updateContext(
        _ receiver: UncompressedPoint, _ parameters: EncryptionParameters, _ hash: inout SHA256
    ) throws(OpenSSLError) {
        if case .aesgcm = parameters.encoding {
            try hash.update(ContentEncoding.contextLabel)
            try hash.update(ContentEncoding.publicKeyLength)
            try hash.update(receiver)
            try hash.update(ContentEncoding.publicKeyLength)
            try hash.update(parameters.senderKey)
        }
        try hash.update(firstBlock)
    }
}

extension SHA256 {
    mutating func update(_ point: UncompressedPoint) throws(OpenSSLError) {
        try point.withSpan { bytes throws(OpenSSLError) in try update(bytes) }
    }
}

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
