import Base
import Crypto
import WebPush

extension Benchmark {
    static let constantTime = Benchmark(
        name: "constant-time",
        summary: "test whether times reveal a private key, or the code of an endpoint (--samples)"
    ) { options in
        print("\(OpenSSLLibrary.version); \(options.samples) samples of each class")
        print("Welch's t of fixed against random keys, the largest of four crops; limit 4.5\n")
        var isPassed = true
        func report(_ name: String, _ test: WelchTest, passes: Bool) {
            let t = test.t.text(digits: 2).rightAligned(to: 9)
            let difference = test.difference.text(digits: 1).rightAligned(to: 9)
            let verdict = passes ? "pass" : "MISS"
            print(
                "\(verdict)  \(name.padded(to: 32)) t \(t)   difference \(difference) ns",
                "± \(test.error.text(digits: 1))")
            isPassed = isPassed && passes
        }
        for scalar in [.random] + TestScalar.fixed {
            let classes = try ScalarClasses(scalar, .random)
            let test = try classes.measure(options.samples)
            report("decrypt, \(scalar) key", test, passes: test.isSame)
        }
        let tokens = try TokenClasses().measure(options.samples)
        report("refuse an almost valid endpoint", tokens, passes: tokens.isSame)
        // A test that cannot fail proves nothing.
        let classes = try ScalarClasses(.sparse, .random)
        let test = try classes.measureLeaky(min(options.samples, 2_000))
        report("find the leak of double-and-add", test, passes: !test.isSame)
        return isPassed
    }

    /// A program for tools that count instructions: it uses the scalar in one multiplication, and
    /// does everything else the same way in every run.
    static let multiply = Benchmark(
        name: "multiply", summary: "do one key agreement (--scalar \(scalarNames))"
    ) { options in
        guard let scalar = options.scalar else {
            throw Options.Failure(message: "multiply needs --scalar")
        }
        let senderBytes = try TestScalar.dense.bytes
        // Random bytes are always drawn, so that the heap is the same in every run.
        let randomBytes = try TestScalar.random.bytes
        let scalarBytes = scalar == .random ? randomBytes : try scalar.bytes
        let auth = [UInt8](repeating: 0, count: ReceiverKeys.authLength)
        guard let sender = try PrivateKey(senderBytes.span) else { throw BadScalar() }
        let key = try PrivateKey(stored: scalarBytes.span, publicKey: sender.publicKey)
        guard let keys = ReceiverKeys(privateKey: key, auth: Secret(auth.span)) else {
            throw BadScalar()
        }
        let body = [UInt8](repeating: 0, count: 18)
        let parameters = EncryptionParameters(
            encoding: .aes128gcm, salt: .init(repeating: 0), senderKey: sender.publicKey,
            recordSize: 4096, ciphertext: body.indices)
        var decryptor = try Decryptor()
        do throws(DecryptionError) {
            _ = try decryptor.decrypt(body.span, parameters, keys: keys)
        } catch .refusal(.badTag) {
            return true  // These zeros cannot be decrypted; the multiplication was done before.
        }
        return false
    }

    private static var scalarNames: String {
        TestScalar.allCases.map(\.rawValue).joined(separator: "|")
    }
}
