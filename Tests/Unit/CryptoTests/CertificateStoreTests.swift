import Foundation
import System
import TestSupport
import Testing
@testable import Crypto

@Suite("Certificates are read again when their files change")
struct CertificateStoreTests {
    private let files: CertificateStore.Files

    init() throws {
        let folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        files = .init(certificate: folder + "/server.pem", key: folder + "/server.key")
    }

    private func write(_ certificate: TestCertificate) throws {
        try write(certificate.chain, files.certificate)
        try write(certificate.key, files.key)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try AtomicFile.replace(path, with: bytes.span, mode: 0o600)
    }

    private func named(_ name: String) throws -> TestCertificate {
        try TestCertificate(TestCertificate.localhost, name: name)
    }

    /// A connection to `store` by a client that trusts `certificate`.
    private func connection(
        _ store: CertificateStore, trusting certificate: TestCertificate
    ) throws -> Connection {
        let connection = try Connection(certificate.client(), store.context, host: "localhost")
        try #require(connection.handshake() == .done)
        connection.settle()
        return connection
    }

    private func failure(_ body: () throws -> Void) -> CertificateStore.Failure? {
        do { try body() } catch { return error as? CertificateStore.Failure }
        return nil
    }

    @Test("New connections get the new certificate, and existing ones continue")
    func reload() throws {
        let (old, new) = (try named("old"), try named("new"))
        try write(old)
        let store = try CertificateStore(files)
        #expect(!store.haveFilesChanged)
        let running = try connection(store, trusting: old)
        let halfway = try Connection(old.client(), store.context, host: "localhost")
        #expect(halfway.client.handshake() == .wantsRead)

        try write(new)
        #expect(store.haveFilesChanged)
        try store.reload()
        #expect(!store.haveFilesChanged)
        #expect(halfway.handshake() == .done)
        #expect(halfway.peerName == "old")
        #expect(try connection(store, trusting: new).peerName == "new")
        running.talk()
    }

    @Test("A pair that does not match stays out of service until its other half has come")
    func halfRenewal() throws {
        let (old, new) = (try named("old"), try named("new"))
        try write(old)
        let store = try CertificateStore(files)
        try write(new.chain, files.certificate)
        #expect(store.haveFilesChanged)
        let refusal = CertificateStore.Failure.refused(files, .differentPairs)
        #expect(failure { try store.reload() } == refusal)
        #expect(
            refusal.description
                == "the certificate \(files.certificate) does not match the key \(files.key)")
        #expect(!store.haveFilesChanged)
        #expect(try connection(store, trusting: old).peerName == "old")

        try write(new.key, files.key)
        #expect(store.haveFilesChanged)
        try store.reload()
        #expect(try connection(store, trusting: new).peerName == "new")
    }

    @Test("A link to another file counts as a change")
    func link() throws {
        let (old, new) = (try named("old"), try named("new"))
        let folder = (files.key as NSString).deletingLastPathComponent
        for (certificate, name) in [(old, "1"), (new, "2")] {
            try write(certificate.chain + certificate.key, "\(folder)/\(name)")
        }
        let link = folder + "/live"
        symlink("1", link)
        let store = try CertificateStore(.init(certificate: link, key: link))
        symlink("2", link + ".new")
        rename(link + ".new", link)
        #expect(store.haveFilesChanged)
        try store.reload()
        #expect(try connection(store, trusting: new).peerName == "new")
    }

    @Test("Each kind of broken file has its own error")
    func broken() throws {
        let good = try named("good")
        let encrypted = Array(Self.encryptedKey.utf8)
        for (chain, key, refusal) in [
            ([], good.key, .noCertificate), (good.key, good.key, .noCertificate),
            (good.chain, [], .noKey), (good.chain, good.chain, .noKey),
            (good.chain, good.key.dropLast(60), .noKey),
            (good.chain, try named("other").key, .differentPairs),
        ] as [([UInt8], [UInt8], CertificateRefusal)] {
            try write(chain, files.certificate)
            try write(key, files.key)
            #expect(failure { _ = try CertificateStore(files) } == .refused(files, refusal))
        }
        for (chain, key) in [
            (Array(good.chain.dropLast(60)), good.key),
            (good.chain + good.chain.dropLast(60), good.key),
            (good.chain, encrypted),
        ] {
            try write(chain, files.certificate)
            try write(Array(key), files.key)
            guard case .refused(files, .fault) = failure({ _ = try CertificateStore(files) }) else {
                Issue.record("accepted")
                return
            }
        }
        unlink(files.key)
        guard case .unreadable = failure({ _ = try CertificateStore(files) }) else {
            Issue.record("accepted")
            return
        }
    }

    @Test("Every cut of a certificate and of a key is refused")
    func cut() throws {
        let good = try named("good")
        for chain in prefixes(of: good.chain.dropLast()) {
            #expect(throws: CertificateRefusal.self) {
                try TLSContext(server: PEMCertificate(chain: chain, key: good.key))
            }
        }
        for key in prefixes(of: good.key.dropLast()) {
            #expect(throws: CertificateRefusal.self) {
                try TLSContext(server: PEMCertificate(chain: good.chain, key: key))
            }
        }
    }

    @Test("A certificate at its end and a key that everyone can read cause warnings")
    func warnings() throws {
        let (now, day) = (TestCertificate.now, 86_400)
        try write(
            TestCertificate(TestCertificate.localhost, validity: now - 100...now + 20 * day))
        let store = try CertificateStore(files)
        #expect(store.warnings(now: Double(now)) == [])
        #expect(store.warnings(now: Double(now + 5 * day)) == [])
        let soon = CertificateStore.Warning.expiresSoon(path: files.certificate)
        #expect(store.warnings(now: Double(now + 7 * day)) == [soon])
        let end = Double(now + 20 * day + 1)
        #expect(store.warnings(now: end) == [.expired(path: files.certificate)])
        #expect(store.warnings(now: Double(now - 101)) == [.notYetValid(path: files.certificate)])
        chmod(files.key, 0o644)
        #expect(store.warnings(now: Double(now)) == [.keyReadableByEveryone(path: files.key)])
    }

    @Test("Certificates are exchanged while other threads shake hands")
    func threads() async throws {
        let certificate = try named("one")
        try write(certificate)
        let store = try CertificateStore(files)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await onThread {
                        for _ in 0..<25 {
                            _ = try connection(store, trusting: certificate)
                        }
                    }
                }
            }
            group.addTask {
                try await onThread { for _ in 0..<50 { try store.reload() } }
            }
            try await group.waitForAll()
        }
    }

    /// The key of no certificate here; nobody asks for its passphrase.
    private static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiJchcCsEg0zwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEImhoKRX2EenfwFBix5OHMQEgZDY
        RiK6htzLP2Vso5MGBZcHCP2UdznBLxipRt6vFeXGyTiEer5t8cMH1wAgobtBrsWJ
        zDJfjiw2tFBGL5ygvbRdhTLMRwkcEmxEB2OVvm+4HmZQbdAhgW1wh4O6WJlH/JCJ
        zOC7HkdeS0dWRBs1fhBL05Pj2AzkIsckf0aBFwIKLdQdcLjn9rp++Dp024SNLMA=
        -----END ENCRYPTED PRIVATE KEY-----

        """
}
