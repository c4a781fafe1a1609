import COpenSSL
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Crypto

/// Every allocation of OpenSSL after this many finds no memory.
nonisolated(unsafe) private var allocationsLeft = Int.max

private func hasMemory() -> Bool {
    allocationsLeft -= 1
    return allocationsLeft >= 0
}

@Suite("OpenSSL without memory")
struct NoMemoryTests {
    /// Call it before OpenSSL allocates anything.
    private static func control() -> Bool {
        CRYPTO_set_mem_functions(
            { count, _, _ in hasMemory() ? malloc(count) : nil },
            { old, count, _, _ in hasMemory() ? realloc(old, count) : nil },
            { old, _, _ in free(old) }) == 1
    }

    /// Runs `body` with memory for no allocation, for one, and so on, until it has enough. False if
    /// it ever said no.
    private static func isNeverRefused(_ body: () throws -> Bool) throws -> Bool {
        for count in 0..<1_000 {
            allocationsLeft = count
            let answer = try? body()
            let hadEnough = allocationsLeft >= 0
            allocationsLeft = .max
            if answer == false { return false }
            if hadEnough { return answer == true }
        }
        return false
    }

    @Test("A right signature is not taken for a wrong one, and a right key not for a wrong one")
    func right() async {
        await #expect(processExitsWith: .success) {
            guard Self.control() else { _exit(2) }
            let privateKey = try PrivateKey.generate()
            var signer = try SigningKey(privateKey)
            var hash = try SHA256()
            let text: [UInt8] = [1, 2, 3]
            let signature = try signer.sign(text.span)
            let digest = try hash.digest(of: text.span)
            let isRight = try Self.isNeverRefused {
                guard var key = try VerificationKey(privateKey.publicKey) else { return false }
                return try key.verify(signature.span, of: digest)
            }
            var curve = try P256()
            let isOnCurve = try Self.isNeverRefused { try curve.load(privateKey.publicKey) }
            // What OpenSSL leaks without memory is not ours.
            _exit(isRight && isOnCurve ? 0 : 1)
        }
    }
}
