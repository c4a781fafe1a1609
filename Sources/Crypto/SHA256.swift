import COpenSSL

/// SHA-256 and HMAC-SHA-256 over one reused context. One for each thread that hashes.
package struct SHA256: ~Copyable {
    package static let length = 32
    package typealias Digest = InlineArray<32, UInt8>

    private static let blockLength = 64

    private let algorithm: DigestAlgorithm
    private let context: DigestContext
    /// The inner and outer key block of the HMAC at work.
    private let block: UnsafeMutablePointer<UInt8>

    package init() throws(OpenSSLError) {
        let algorithm = try DigestAlgorithm("SHA256")
        let context = try DigestContext()
        self.algorithm = algorithm
        self.context = context
        block = .allocate(capacity: Self.blockLength)
    }

    deinit {
        OPENSSL_cleanse(block, Self.blockLength)
        block.deallocate()
    }

    package mutating func begin() throws(OpenSSLError) {
        try ensure(
            EVP_DigestInit_ex2(context.handle, algorithm.handle, nil), "EVP_DigestInit_ex2")
    }

    package mutating func update(_ bytes: Span<UInt8>) throws(OpenSSLError) {
        let result = bytes.withUnsafeBufferPointer { bytes in
            EVP_DigestUpdate(context.handle, bytes.baseAddress, bytes.count)
        }
        try ensure(result, "EVP_DigestUpdate")
    }

    package mutating func update(_ text: StaticString) throws(OpenSSLError) {
        try ensure(
            EVP_DigestUpdate(context.handle, text.utf8Start, text.utf8CodeUnitCount),
            "EVP_DigestUpdate")
    }

    package mutating func finish() throws(OpenSSLError) -> Digest {
        var digest = Digest(repeating: 0)
        var span = digest.mutableSpan
        let result = span.withUnsafeMutableBufferPointer { bytes in
            EVP_DigestFinal_ex(context.handle, bytes.baseAddress, nil)
        }
        try ensure(result, "EVP_DigestFinal_ex")
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
        for index in 0..<Self.blockLength {
            block[index] = (index < key.count ? key[index] : 0) ^ 0x36
        }
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
            EVP_DigestUpdate(context.handle, block, Self.blockLength), "EVP_DigestUpdate")
    }
}
