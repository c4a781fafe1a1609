import COpenSSL

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
