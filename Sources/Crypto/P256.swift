import Base
import COpenSSL
import WebPush

/// Arithmetic on the curve with reused scratch objects. Use one per thread.
struct P256: ~Copyable {
    private let group: CurveGroup
    private let peer: CurvePoint
    private let product: CurvePoint
    private let coordinate: BigNumber
    private let scratch: BigNumberContext

    init() throws(OpenSSLError) {
        let group = try CurveGroup()
        let peer = try CurvePoint(on: group)
        let product = try CurvePoint(on: group)
        let coordinate = try BigNumber()
        let scratch = try BigNumberContext()
        self.group = group
        self.peer = peer
        self.product = product
        self.coordinate = coordinate
        self.scratch = scratch
    }

    static let sharedSecretLength = 32

    /// Loads `point`; false if it is not on the curve. The cofactor is 1 and 04 is not infinity, so
    /// this is the whole validation (RFC 8291 section 7).
    mutating func load(_ point: UncompressedPoint) throws(OpenSSLError) -> Bool {
        let isOnCurve = point.withSpan { bytes in
            bytes.withUnsafeBufferPointer { bytes in
                EC_POINT_oct2point(
                    group.handle, peer.handle, bytes.baseAddress, bytes.count, scratch.handle)
            }
        }
        return try OpenSSLError.isTaken(isOnCurve, "EC_POINT_oct2point")
    }

    /// ECDH with the loaded point: the x coordinate with leading zeros (RFC 8291 section 3.1).
    ///
    /// With one point and no generator, OpenSSL multiplies by fixed windows in constant time where
    /// it has its own code for the curve (docs/decisions/0002-constant-time-ecdh.md).
    mutating func sharedSecret(
        with key: borrowing PrivateKey
    ) throws(OpenSSLError) -> InlineArray<32, UInt8> {
        try ensure(
            EC_POINT_mul(
                group.handle, product.handle, nil, peer.handle, key.number.handle, scratch.handle),
            "EC_POINT_mul")
        try ensure(
            EC_POINT_get_affine_coordinates(
                group.handle, product.handle, coordinate.handle, nil, scratch.handle),
            "EC_POINT_get_affine_coordinates")
        var secret = InlineArray<32, UInt8>(repeating: 0)
        var span = secret.mutableSpan
        let length = span.withUnsafeMutableBufferPointer { bytes in
            BN_bn2binpad(coordinate.handle, bytes.baseAddress, Int32(bytes.count))
        }
        guard length == Self.sharedSecretLength else { throw OpenSSLError("BN_bn2binpad") }
        return secret
    }

    /// The public key of a private one; nil unless that is in 1…n−1.
    mutating func publicKey(of number: borrowing BigNumber) throws(OpenSSLError)
        -> UncompressedPoint?
    {
        guard BN_is_zero(number.handle) == 0,
            BN_cmp(number.handle, EC_GROUP_get0_order(group.handle)) < 0
        else { return nil }
        try ensure(
            EC_POINT_mul(
                group.handle, product.handle, number.handle, nil, nil, scratch.handle),
            "EC_POINT_mul")
        var bytes = InlineArray<65, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        let length = span.withUnsafeMutableBufferPointer { bytes in
            EC_POINT_point2oct(
                group.handle, product.handle, POINT_CONVERSION_UNCOMPRESSED, bytes.baseAddress,
                bytes.count, scratch.handle)
        }
        guard length == UncompressedPoint.length, let point = UncompressedPoint(bytes.span) else {
            throw OpenSSLError("EC_POINT_point2oct")
        }
        return point
    }
}

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
