import WebPush

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
