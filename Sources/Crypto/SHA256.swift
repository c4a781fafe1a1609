import COpenSSL

/// SHA-256 and HMAC-SHA-256 over one reused state. One for each thread that hashes.
package struct SHA256: ~Copyable {
    package static let length = 32
    package typealias Digest = InlineArray<32, UInt8>

    private static let blockLength = 64

    private let state: UnsafeMutablePointer<SHA256_CTX>
    /// The inner and outer key block of the HMAC at work.
    private let block: UnsafeMutablePointer<UInt8>

    package init() throws(OpenSSLError) {
        state = .allocate(capacity: 1)
        block = .allocate(capacity: Self.blockLength)
    }

    deinit {
        OPENSSL_cleanse(state, MemoryLayout<SHA256_CTX>.size)
        OPENSSL_cleanse(block, Self.blockLength)
        state.deallocate()
        block.deallocate()
    }

    package mutating func begin() throws(OpenSSLError) {
        try ensure(copenssl_sha256_init(state), "SHA256_Init")
    }

    package mutating func update(_ bytes: Span<UInt8>) throws(OpenSSLError) {
        let result = bytes.withUnsafeBufferPointer { bytes in
            copenssl_sha256_update(state, bytes.baseAddress, bytes.count)
        }
        try ensure(result, "SHA256_Update")
    }

    package mutating func update(_ text: StaticString) throws(OpenSSLError) {
        try ensure(
            copenssl_sha256_update(state, text.utf8Start, text.utf8CodeUnitCount),
            "SHA256_Update")
    }

    package mutating func finish() throws(OpenSSLError) -> Digest {
        var digest = Digest(repeating: 0)
        var span = digest.mutableSpan
        let result = span.withUnsafeMutableBufferPointer { bytes in
            copenssl_sha256_final(state, bytes.baseAddress)
        }
        try ensure(result, "SHA256_Final")
        return digest
    }

    package mutating func digest(of bytes: Span<UInt8>) throws(OpenSSLError) -> Digest {
        try begin()
        try update(bytes)
        return try finish()
    }
}

/// RFC 2104. The key is at most a block long, as every key here is.
extension SHA256 {
    package mutating func beginHMAC(key: Span<UInt8>) throws(OpenSSLError) {
        precondition(key.count <= Self.blockLength, "HMAC key longer than a block")
        block.update(repeating: 0x36, count: Self.blockLength)
        for index in key.indices { block[index] ^= key[index] }
        try begin()
        try updateBlock()
    }

    /// Ends what `beginHMAC` began.
    package mutating func finishHMAC() throws(OpenSSLError) -> Digest {
        let inner = try finish()
        for index in 0..<Self.blockLength { block[index] ^= 0x36 ^ 0x5C }
        try begin()
        try updateBlock()
        try update(inner.span)
        return try finish()
    }

    package mutating func hmac(
        key: Span<UInt8>, _ message: Span<UInt8>
    ) throws(OpenSSLError) -> Digest {
        try beginHMAC(key: key)
        try update(message)
        return try finishHMAC()
    }

    package mutating func hmac(
        key: Span<UInt8>, _ message: StaticString
    ) throws(OpenSSLError) -> Digest {
        try beginHMAC(key: key)
        try update(message)
        return try finishHMAC()
    }

    private mutating func updateBlock() throws(OpenSSLError) {
        try ensure(
            copenssl_sha256_update(state, block, Self.blockLength), "SHA256_Update")
    }
}
