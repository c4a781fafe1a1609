import Base
import COpenSSL

extension KeyObject {
    /// A P-256 key from its parts; nil if OpenSSL rejects them.
    static func p256(publicKey: Span<UInt8>) throws(OpenSSLError) -> KeyObject? {
        try p256(publicKey, privateKey: Span())
    }

    /// `privateKey` is little-endian: OpenSSL expects numbers in the byte order of the machine.
    static func p256(
        publicKey: Span<UInt8>, privateKey: Secret
    ) throws(OpenSSLError) -> KeyObject? {
        try privateKey.withSpan { privateKey throws(OpenSSLError) in
            try p256(publicKey, privateKey: privateKey)
        }
    }

    private static func p256(
        _ publicKey: Span<UInt8>, privateKey: Span<UInt8>
    ) throws(OpenSSLError) -> KeyObject? {
        let context = try ensure(
            EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try ensure(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
        var handle: OpaquePointer?
        let result = publicKey.withUnsafeBufferPointer { publicKey in
            privateKey.withUnsafeBufferPointer { privateKey in
                fromData(context, &handle, publicKey, privateKey)
            }
        }
        guard try OpenSSLError.isTaken(result, "EVP_PKEY_fromdata"), let handle else { return nil }
        return KeyObject(owning: handle)
    }

    private static func fromData(
        _ context: OpaquePointer, _ handle: inout OpaquePointer?,
        _ publicKey: UnsafeBufferPointer<UInt8>, _ privateKey: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        // OpenSSL only reads through these pointers, although their type is mutable.
        func mutable(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<UInt8>? {
            UnsafeMutablePointer(mutating: bytes.baseAddress)
        }
        let selection = privateKey.isEmpty ? copenssl_public_key : copenssl_key_pair
        var group = Array("prime256v1".utf8CString)
        return group.withUnsafeMutableBufferPointer { group in
            var list = [
                copenssl_group(group.baseAddress),
                copenssl_public_point(mutable(publicKey), publicKey.count),
            ]
            if !privateKey.isEmpty {
                list.append(copenssl_private_scalar(mutable(privateKey), privateKey.count))
            }
            list.append(OSSL_PARAM_construct_end())
            return list.withUnsafeMutableBufferPointer { list in
                EVP_PKEY_fromdata(context, &handle, selection, list.baseAddress)
            }
        }
    }
}
