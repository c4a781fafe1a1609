import COpenSSL

/// AES in Galois/Counter mode with 12-byte nonces and 16-byte tags, over one reused context.
struct GCM: ~Copyable {
    static let tagLength = 16

    private let context: CipherContext
    private let encrypts: Bool

    /// `name` is OpenSSL's, such as `AES-128-GCM`.
    init(_ name: String, encrypts: Bool) throws(OpenSSLError) {
        context = try CipherContext(name, encrypts: encrypts)
        self.encrypts = encrypts
    }

    /// Decrypts everything but the tag at the end into `output`; nil if the tag is wrong. Then
    /// `output` must not be used.
    mutating func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        associated: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) -> Int? {
        let length = sealed.count - Self.tagLength
        precondition(!encrypts && length >= 0 && output.count >= length)
        try start(key: key, nonce: nonce, associated: associated)
        try update(sealed.extracting(0..<length), into: output.baseAddress)
        try expectTag(sealed.extracting(length..<sealed.count))
        var rest: Int32 = 0
        var unused: UInt8 = 0
        guard EVP_DecryptFinal_ex(context.handle, &unused, &rest) == 1 else {
            ERR_clear_error()
            return nil
        }
        return length
    }

    /// Appends the encrypted `text` and its tag to `output`.
    mutating func seal(
        _ text: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        associated: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(OpenSSLError) {
        precondition(encrypts)
        try start(key: key, nonce: nonce, associated: associated)
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: text.count + Self.tagLength))
        let isSealed = output.withUnsafeMutableBufferPointer { output in
            var rest: Int32 = 0
            let sealed = output.baseAddress.map { $0 + start }
            let tag = sealed.map { $0 + text.count }
            return transform(text, into: sealed) == 1
                && EVP_EncryptFinal_ex(context.handle, tag, &rest) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context.handle, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
        }
        guard isSealed else { throw OpenSSLError("EVP_EncryptFinal_ex") }
    }

    private mutating func expectTag(_ tag: Span<UInt8>) throws(OpenSSLError) {
        // OpenSSL only reads through the pointer, although its type is mutable.
        let result = tag.withUnsafeBytes { tag in
            EVP_CIPHER_CTX_ctrl(
                context.handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count),
                UnsafeMutableRawPointer(mutating: tag.baseAddress))
        }
        try ensure(result, "EVP_CIPHER_CTX_ctrl")
    }

    private mutating func start(
        key: Span<UInt8>, nonce: Span<UInt8>, associated: Span<UInt8>
    ) throws(OpenSSLError) {
        let result = key.withUnsafeBufferPointer { key in
            nonce.withUnsafeBufferPointer { nonce in
                EVP_CipherInit_ex2(
                    context.handle, nil, key.baseAddress, nonce.baseAddress, -1, nil)
            }
        }
        try ensure(result, "EVP_CipherInit_ex2")
        if !associated.isEmpty { try update(associated, into: nil) }
    }

    private mutating func update(
        _ bytes: Span<UInt8>, into output: UnsafeMutablePointer<UInt8>?
    ) throws(OpenSSLError) {
        try ensure(transform(bytes, into: output), "EVP_CipherUpdate")
    }

    /// Runs `bytes` through the cipher in its direction and returns OpenSSL's result.
    private func transform(_ bytes: Span<UInt8>, into output: UnsafeMutablePointer<UInt8>?) -> Int32
    {
        var length: Int32 = 0
        return bytes.withUnsafeBufferPointer { bytes in
            EVP_CipherUpdate(
                context.handle, output, &length, bytes.baseAddress, Int32(bytes.count))
        }
    }
}

/// AES-256 in infinite garble extension mode. OpenSSL has it only in a deprecated, table-driven
/// form; this uses OpenSSL's block cipher, and with it the processor's AES instructions.
enum IGE {
    static let blockLength = 16

    /// `vector` is the ciphertext block and then the text block before the first.
    static func decrypt(
        _ sealed: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(OpenSSLError) -> [UInt8] {
        precondition(sealed.count % blockLength == 0 && key.count == 32 && vector.count == 32)
        let context = try CipherContext("AES-256-ECB", encrypts: false)
        let result = key.withUnsafeBufferPointer { key in
            EVP_CipherInit_ex2(context.handle, nil, key.baseAddress, nil, -1, nil)
        }
        try ensure(result, "EVP_CipherInit_ex2")
        EVP_CIPHER_CTX_set_padding(context.handle, 0)

        var status: Int32 = 1
        let plain = [UInt8](unsafeUninitializedCapacity: sealed.count) { output, count in
            count = sealed.count
            for start in stride(from: 0, to: sealed.count, by: blockLength) where status == 1 {
                // text = D(ciphertext ^ text before) ^ ciphertext before
                var block = InlineArray<16, UInt8> { index in
                    sealed[start + index]
                        ^ (start == 0 ? vector[16 + index] : output[start - 16 + index])
                }
                status = decryptBlock(&block, context)
                for index in 0..<blockLength {
                    output[start + index] =
                        block[index]
                        ^ (start == 0 ? vector[index] : sealed[start - 16 + index])
                }
            }
        }
        try ensure(status, "EVP_CipherUpdate")
        return plain
    }

    private static func decryptBlock(
        _ block: inout InlineArray<16, UInt8>, _ context: borrowing CipherContext
    ) -> Int32 {
        var length: Int32 = 0
        var span = block.mutableSpan
        return span.withUnsafeMutableBufferPointer { bytes in
            EVP_CipherUpdate(
                context.handle, bytes.baseAddress, &length, bytes.baseAddress,
                Int32(blockLength))
        }
    }
}
