import COpenSSL

/// SHA-256 and HMAC-SHA-256 over one reused state. Use one per thread.
package struct SHA256: ~Copyable {
    package typealias Digest = InlineArray<32, UInt8>

    private static let blockLength = 64

    private let state: UnsafeMutablePointer<SHA256_CTX>
    /// The states after the inner and outer key block of the last HMAC key.
    private let inner: UnsafeMutablePointer<SHA256_CTX>
    private let outer: UnsafeMutablePointer<SHA256_CTX>

    package init() throws(OpenSSLError) {
        state = .allocate(capacity: 3)
        state.initialize(repeating: SHA256_CTX(), count: 3)
        inner = state + 1
        outer = state + 2
    }

    deinit {
        OPENSSL_cleanse(state, 3 * MemoryLayout<SHA256_CTX>.stride)
        state.deallocate()
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

/// RFC 2104. Keys must not be longer than a block, and no key here is.
extension SHA256 {
    package mutating func beginHMAC(key: Span<UInt8>) throws(OpenSSLError) {
        precondition(key.count <= Self.blockLength, "the HMAC key is longer than a block")
        try absorb(key, pad: 0x36, into: inner)
        try absorb(key, pad: 0x5C, into: outer)
        beginHMACUnderSameKey()
    }

    /// Reuses the key of the previous HMAC.
    package mutating func beginHMACUnderSameKey() { state.pointee = inner.pointee }

    /// Finishes what `beginHMAC` began.
    package mutating func finishHMAC() throws(OpenSSLError) -> Digest {
        try passToOuterHash()
        return try finish()
    }

    /// The same into memory that the caller overwrites, and nowhere else.
    mutating func finishHMAC(
        into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) {
        precondition(output.count >= MemoryLayout<Digest>.size, "the digest has no room")
        try passToOuterHash()
        try ensure(copenssl_sha256_final(state, output.baseAddress), "SHA256_Final")
    }

    private mutating func passToOuterHash() throws(OpenSSLError) {
        let digest = try finish()
        state.pointee = outer.pointee
        try update(digest.span)
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

    private func absorb(
        _ key: Span<UInt8>, pad: UInt8, into state: UnsafeMutablePointer<SHA256_CTX>
    ) throws(OpenSSLError) {
        var block = InlineArray<64, UInt8>(repeating: pad)
        for index in key.indices { block[index] ^= key[index] }
        try ensure(copenssl_sha256_init(state), "SHA256_Init")
        var bytes = block.mutableSpan
        let result = bytes.withUnsafeMutableBufferPointer { bytes in
            defer { OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
            return copenssl_sha256_update(state, bytes.baseAddress, bytes.count)
        }
        try ensure(result, "SHA256_Update")
    }
}
