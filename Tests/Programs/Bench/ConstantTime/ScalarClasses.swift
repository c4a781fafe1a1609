import Base
import CBench
import Crypto
import WebPush

/// Two classes of private keys, with a push for each of them.
///
/// Nothing else may differ between the classes, or it would look like a leak: the pushes of a pair
/// share sender key and salt, and every measurement uses fresh copies of key and body, which the
/// allocator puts in the same places.
final class ScalarClasses {
    private let samples: [Sample]
    private let auth: Secret
    private var decryptor: Decryptor

    private static let pairCount = 256

    private struct Sample {
        let scalar: [UInt8]
        let publicKey: UncompressedPoint
        let body: [UInt8]
    }

    init(_ first: TestScalar, _ second: TestScalar) throws {
        let auth = try Random.secret(count: ReceiverKeys.authLength)
        let samples = try (0..<Self.pairCount).flatMap { _ in
            try Self.pair(first, second, auth)
        }
        let decryptor = try Decryptor()
        self.samples = samples
        self.auth = auth
        self.decryptor = decryptor
    }

    private static func pair(
        _ first: TestScalar, _ second: TestScalar, _ auth: Secret
    ) throws -> [Sample] {
        var encryptor = try Encryptor()
        let sender = try PrivateKey.generate()
        let salt = try Random.bytes(count: 16)
        return try [first, second].map { scalar in
            let bytes = try scalar.bytes
            guard let key = try PrivateKey(bytes.span) else { throw BadScalar() }
            let push = try encryptor.encrypt(
                salt.span, for: key.publicKey, auth: auth, encoding: .aes128gcm, sender: sender,
                salt: salt.span)
            return Sample(scalar: bytes, publicKey: key.publicKey, body: push.body)
        }
    }

    /// Compares the times of single decryptions, `count` of each class in random order.
    func measure(_ count: Int) throws -> WelchTest {
        try measure(count) { sample in
            let scalar = sample.scalar
            let key = try PrivateKey(stored: scalar.span, publicKey: sample.publicKey)
            guard let keys = ReceiverKeys(privateKey: key, auth: auth) else { throw BadScalar() }
            let body = sample.body.map { $0 }
            let parameters = try EncryptionParameters(aes128gcm: body.span)
            let start = Clock.nanoseconds
            _ = try decryptor.decrypt(body.span, parameters, keys: keys)
            return Clock.nanoseconds - start
        }
    }

    /// The same with a multiplication that leaks its scalar.
    func measureLeaky(_ count: Int) throws -> WelchTest {
        try measure(count) { sample in
            sample.publicKey.withSpan { point in
                point.withUnsafeBufferPointer { point in
                    let start = Clock.nanoseconds
                    cbench_leaky_multiply(sample.scalar, point.baseAddress)
                    return Clock.nanoseconds - start
                }
            }
        }
    }

    private func measure(
        _ count: Int, _ nanoseconds: (Sample) throws -> Int
    ) throws -> WelchTest {
        var times: [[Double]] = [[], []]
        // Measures whole rounds, so that each sample counts equally; the first round warms up.
        for round in 0...(count / Self.pairCount) {
            for index in samples.indices.shuffled() {
                let time = try nanoseconds(samples[index])
                if round > 0 { times[index % 2].append(Double(time)) }
            }
        }
        return WelchTest(times[0], times[1])
    }
}
