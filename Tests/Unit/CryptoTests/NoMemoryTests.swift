import COpenSSL
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Crypto

/// Every allocation of OpenSSL after this many finds no memory.
nonisolated(unsafe) private var allocationsLeft = Int.max
/// The one after so many finds none.
nonisolated(unsafe) private var allocationsToFailure = Int.max

private func hasMemory() -> Bool {
    allocationsLeft -= 1
    allocationsToFailure -= 1
    return allocationsLeft >= 0 && allocationsToFailure != -1
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

    /// What the peer gets last of a connection on which an allocation fails while it is written.
    private static func last(failing count: Int) throws -> (RecordLayer.Step, hasFailed: Bool) {
        func keys() throws -> TrafficKeys {
            try TrafficKeys(
                .aes256, secret: [UInt8](repeating: 7, count: 48).span, sequence: 0)
        }
        let sockets = try SocketPair()
        // The keys are updated in the middle of a writing.
        let ciphers = RecordCiphers(recordsPerKey: 3)
        let stream = RecordStream(
            RecordLayer(1, reading: try keys(), writing: try keys()), on: sockets.second, ciphers,
            nil, isResumed: false)
        let text = [UInt8](repeating: 1, count: 30_000)
        var hasFailed = false
        allocationsToFailure = count
        for _ in 0..<3 where !hasFailed {
            if case .failed = stream.write(text.span) { hasFailed = true }
        }
        allocationsToFailure = .max
        var peer = RecordLayer(2, reading: try keys(), writing: try keys())
        var bytes: [UInt8] = []
        while case let more = sockets.receivedBack(), !more.isEmpty { bytes += more }
        let others = RecordCiphers()
        var (start, step) = (0, RecordLayer.Step.incomplete)
        try bytes.withUnsafeMutableBufferPointer { bytes in
            while start < bytes.count {
                step = try peer.open(bytes.extracting(start..<bytes.count), others)
                switch step {
                case .data(let length, _), .idle(let length, _): start += length
                default: return
                }
            }
        }
        return (step, hasFailed)
    }

    @Test("A peer for which no more can be sealed is told, and can open all that came before")
    func records() async {
        await #expect(processExitsWith: .success) {
            guard Self.control() else { _exit(2) }
            // OpenSSL keeps some things from the first time on.
            guard case (.data, false) = try Self.last(failing: .max) else { _exit(3) }
            var told = 0
            for count in 0..<60 {
                switch try Self.last(failing: count) {
                case (.alert(.internalError), true): told += 1
                case (.data, false): break
                // Keys that are half updated seal nothing.
                case (.data, true), (.idle, true): break
                default: _exit(4)
                }
            }
            _exit(told > 0 ? 0 : 1)
        }
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
