import Base
import CBench
import Crypto
import WebPush

/// Receivers of two classes of private keys, with a push for each of them.
///
/// The classes differ in nothing else: they lie in memory in turns, each key has a place of its
/// own even where all are equal, and the pushes of a pair have one sender key and one salt.
final class ScalarClasses {
    private let receivers: [Receiver]
    private var decryptor: Decryptor

    private static let pairCount = 256

    private final class Receiver {
        let keys: ReceiverKeys
        let body: [UInt8]

        init(_ keys: consuming ReceiverKeys, _ body: [UInt8]) {
            self.keys = keys
            self.body = body
        }
    }

    init(_ first: TestScalar, _ second: TestScalar) throws {
        var encryptor = try Encryptor()
        let auth = try Random.secret(count: ReceiverKeys.authLength)
        let decryptor = try Decryptor()
        let receivers = try (0..<Self.pairCount).flatMap { _ in
            let sender = try PrivateKey.generate()
            let salt = try Random.bytes(count: 16)
            return try [first, second].map { scalar in
                let bytes = try scalar.bytes
                guard let key = try PrivateKey(bytes.span) else { throw BadScalar() }
                let push = try encryptor.encrypt(
                    salt.span, for: key.publicKey, auth: auth, encoding: .aes128gcm,
                    sender: sender, salt: salt.span)
                guard let keys = ReceiverKeys(privateKey: key, auth: auth) else {
                    throw BadScalar()
                }
                return Receiver(keys, push.body)
            }
        }
        self.receivers = receivers
        self.decryptor = decryptor
    }

    /// Nanoseconds of single decryptions, `count` of each class in random order.
    func measure(_ count: Int) throws -> WelchTest {
        try measure(count) { receiver, decryptor in
            let body = receiver.body
            let parameters = try EncryptionParameters(aes128gcm: body.span)
            _ = try decryptor.decrypt(body.span, parameters, keys: receiver.keys)
        }
    }

    /// The same over a multiplication that does tell its scalar.
    func measureLeaky(_ count: Int) throws -> WelchTest {
        try measure(count) { receiver, _ in
            let scalar = try receiver.keys.privateKey.bytes
            scalar.withSpan { scalar in
                receiver.keys.privateKey.publicKey.withSpan { point in
                    scalar.withUnsafeBufferPointer { scalar in
                        point.withUnsafeBufferPointer { point in
                            cbench_leaky_multiply(scalar.baseAddress, point.baseAddress)
                        }
                    }
                }
            }
        }
    }

    private func measure(
        _ count: Int, _ run: (Receiver, inout Decryptor) throws -> Void
    ) throws -> WelchTest {
        var times: [[Double]] = [[], []]
        for index in times.indices { times[index].reserveCapacity(count + Self.pairCount) }
        // Whole rounds over all receivers, so that each counts alike; the first is for warming up.
        for round in 0...(count / Self.pairCount) {
            for index in receivers.indices.shuffled() {
                let start = Clock.nanoseconds
                try run(receivers[index], &decryptor)
                let time = Clock.nanoseconds - start
                if round > 0 { times[index % 2].append(Double(time)) }
            }
        }
        return WelchTest(times[0], times[1])
    }
}
