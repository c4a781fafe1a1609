import COpenSSL

/// SHA-1, only where a protocol requires it and no security depends on it: the id of a Telegram
/// secret, and the answer to a WebSocket key.
package enum SHA1 {
    package static let length = 20

    package static func digest(of bytes: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        let algorithm = try DigestAlgorithm("SHA1")
        var result: Int32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: length) { output, count in
            count = length
            result = bytes.withUnsafeBufferPointer { bytes in
                EVP_Digest(
                    bytes.baseAddress, bytes.count, output.baseAddress, nil, algorithm.handle, nil)
            }
        }
        try ensure(result, "EVP_Digest")
        return digest
    }
}
