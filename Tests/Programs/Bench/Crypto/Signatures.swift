import CBench
import Crypto
import WebPush

/// Tokens of one application server, verified by us and by the yardstick with a cached key.
final class Signatures {
    private let signed: [(input: [UInt8], signature: [UInt8])]
    private var key: VerificationKey
    private var hash: SHA256
    private let yardstick: OpaquePointer

    struct NotVerified: Error {}

    init() throws {
        let privateKey = try PrivateKey.generate()
        var signer = try SigningKey(privateKey)
        let hash = try SHA256()
        let signed = try (0..<Contest.itemCount).map { item in
            let input = Tokens.unsigned(expiry: item).signingInput
            return (input, try signer.sign(input.span))
        }
        let yardstick = signer.publicKey.withSpan { point in
            point.withUnsafeBufferPointer { cbench_es256_new($0.baseAddress) }
        }
        let key = try VerificationKey(signer.publicKey)
        guard let yardstick, let key else { throw Yardstick.Unavailable() }
        self.yardstick = yardstick
        self.key = key
        self.hash = hash
        self.signed = signed
    }

    deinit { cbench_es256_free(yardstick) }

    func verify(_ item: Int) throws {
        let (input, signature) = signed[item]
        let digest = try hash.digest(of: input.span)
        guard try key.verify(signature.span, of: digest) else { throw NotVerified() }
    }

    func verifyByYardstick(_ item: Int) throws {
        let (input, signature) = signed[item]
        let result = input.span.withUnsafeBufferPointer { input in
            signature.span.withUnsafeBufferPointer { signature in
                cbench_es256_verify(
                    yardstick, input.baseAddress, input.count, signature.baseAddress)
            }
        }
        guard result == 1 else { throw NotVerified() }
    }
}
