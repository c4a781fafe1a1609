import Base
import COpenSSL
package import WebPush

// Each OpenSSL handle has one owner, which frees it. No handle leaves the module.

struct BigNumber: ~Copyable {
    let handle: OpaquePointer

    init() throws(OpenSSLError) { handle = try ensure(BN_new(), "BN_new") }

    init(owning handle: OpaquePointer) { self.handle = handle }

    /// A secret number: in secure memory, and used in constant time.
    init(secret bytes: Span<UInt8>) throws(OpenSSLError) {
        let number = BigNumber(owning: try ensure(BN_secure_new(), "BN_secure_new"))
        BN_set_flags(number.handle, BN_FLG_CONSTTIME)
        let result = bytes.withUnsafeBufferPointer { bytes in
            BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number.handle)
        }
        guard result != nil else { throw OpenSSLError("BN_bin2bn") }
        self = number
    }

    deinit { BN_clear_free(handle) }

    /// The number in `length` bytes, with leading zeros.
    func secret(length: Int, isLittleEndian: Bool = false) throws(OpenSSLError) -> Secret {
        try Secret(count: length) { block throws(OpenSSLError) in
            let write = isLittleEndian ? BN_bn2lebinpad : BN_bn2binpad
            let written = block.withUnsafeMutableBufferPointer { bytes in
                write(handle, bytes.baseAddress, Int32(bytes.count))
            }
            guard written == length else { throw OpenSSLError("BN_bn2binpad") }
        }
    }
}

struct BigNumberContext: ~Copyable {
    let handle: OpaquePointer
    init() throws(OpenSSLError) { handle = try ensure(BN_CTX_secure_new(), "BN_CTX_secure_new") }
    deinit { BN_CTX_free(handle) }
}

struct CurveGroup: ~Copyable {
    let handle: OpaquePointer

    init() throws(OpenSSLError) {
        handle = try ensure(
            EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), "EC_GROUP_new_by_curve_name")
    }

    deinit { EC_GROUP_free(handle) }
}

struct CurvePoint: ~Copyable {
    let handle: OpaquePointer

    init(on group: borrowing CurveGroup) throws(OpenSSLError) {
        handle = try ensure(EC_POINT_new(group.handle), "EC_POINT_new")
    }

    deinit { EC_POINT_clear_free(handle) }
}

struct CipherContext: ~Copyable {
    let handle: OpaquePointer

    /// A context for one algorithm and direction, without a key.
    init(_ name: String, encrypts: Bool) throws(OpenSSLError) {
        let context = CipherContext(
            owning: try ensure(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new"))
        let algorithm = try ensure(EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch")
        defer { EVP_CIPHER_free(algorithm) }
        try ensure(
            EVP_CipherInit_ex2(context.handle, algorithm, nil, nil, encrypts ? 1 : 0, nil),
            "EVP_CipherInit_ex2")
        self = context
    }

    private init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { EVP_CIPHER_CTX_free(handle) }
}

struct KeyObject: ~Copyable {
    let handle: OpaquePointer
    init(owning handle: OpaquePointer) { self.handle = handle }
    deinit { EVP_PKEY_free(handle) }
}

struct KeyContext: ~Copyable {
    let handle: OpaquePointer

    init(for key: borrowing KeyObject) throws(OpenSSLError) {
        handle = try ensure(
            EVP_PKEY_CTX_new_from_pkey(nil, key.handle, nil), "EVP_PKEY_CTX_new_from_pkey")
    }

    deinit { EVP_PKEY_CTX_free(handle) }
}

/// OpenSSL in this process.
package enum OpenSSL {
    /// Call this before anything else of OpenSSL. At the exit it would free what threads that are
    /// still at work use; the end of the process frees it all the same.
    package static func stayAtExit() {
        // It can only fail for lack of memory, which the next call reports.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}

/// A call of OpenSSL that failed independently of the input: memory, missing algorithm, misuse.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: UInt

    /// Takes the first error of this thread's queue and empties the queue.
    init(_ call: StaticString) { self.init(call, code: ERR_get_error()) }

    private init(_ call: StaticString, code: UInt) {
        self.call = "\(call)"
        self.code = code
        ERR_clear_error()
    }

    /// Whether OpenSSL took the input. Without memory it also rejects the best of inputs, at times
    /// without a reason. `givesReason`: it has one for each bad input.
    static func isTaken(
        _ result: Int32, _ call: StaticString, givesReason: Bool = true
    ) throws(OpenSSLError) -> Bool {
        guard result != 1 else { return true }
        let first = ERR_peek_error()
        guard result == 0, first != 0 || !givesReason else { throw OpenSSLError(call) }
        while true {
            let code = ERR_get_error()
            if code == 0 { return false }
            guard ERR_FATAL_ERROR(code) == 0 else { throw OpenSSLError(call, code: code) }
        }
    }

    package var description: String {
        guard let reason = ERR_reason_error_string(code) else { return "\(call) failed" }
        return "\(call) failed: \(String(cString: reason))"
    }
}

/// Turns OpenSSL's "1 is success" into a thrown error and drains the error queue.
@inline(__always)
func ensure(_ result: Int32, _ call: StaticString) throws(OpenSSLError) {
    guard result == 1 else { throw OpenSSLError(call) }
}

/// Does the same for calls that return a handle.
@inline(__always)
func ensure(_ handle: OpaquePointer?, _ call: StaticString) throws(OpenSSLError) -> OpaquePointer {
    guard let handle else { throw OpenSSLError(call) }
    return handle
}

/// Why an operation on foreign input failed: because of the input, or because of our machine.
///
/// The difference decides the answer: after a refusal the sender has to change something and may
/// forget the endpoint; after a fault of ours it must send the push again.
package enum CryptoError<Refusal: Error & Equatable>: Error, Equatable {
    case refusal(Refusal)
    case fault(OpenSSLError)

    /// Turns the error of a specification's rule into `refused`.
    static func refusing<Result: ~Copyable>(
        _ rule: () throws(Refusal) -> Result
    ) throws(Self) -> Result {
        do throws(Refusal) { return try rule() } catch { throw .refusal(error) }
    }
}

package typealias DecryptionError = CryptoError<DecryptionRefusal>
package typealias VAPIDError = CryptoError<VAPIDRefusal>

package enum OpenSSLLibrary {
    /// The version of OpenSSL, as OpenSSL reports it.
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
