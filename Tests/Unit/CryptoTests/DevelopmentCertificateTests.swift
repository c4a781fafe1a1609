import Foundation
import System
import Testing
@testable import Crypto

@Suite("The development certificate")
struct DevelopmentCertificateTests {
    private let folder: String
    private let now = Date().timeIntervalSince1970

    init() throws {
        folder = NSTemporaryDirectory() + "bellwire-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    private func certificate(
        hostName: String = "Desk", later: Int = 0
    ) throws -> DevelopmentCertificate {
        try DevelopmentCertificate(in: folder, hostName: hostName, now: now + Double(later))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func reason(_ made: DevelopmentCertificate, host: String) throws -> String? {
        let client = try TLSContext(
            client: .authorities(try TextFile.read(made.authorityPath)), protocols: [.http1])
        let store = try CertificateStore(made.files)
        let connection = try Connection(client, store.context, host: host)
        return CryptoTests.reason(connection.handshake())
    }

    @Test("It is valid for localhost, the loopback addresses and this machine, and nothing else")
    func names() throws {
        let made = try certificate()
        for host in ["localhost", "127.0.0.1", "::1", "desk"] {
            #expect(try reason(made, host: host) == nil)
        }
        for host in ["example.com", "127.0.0.2", "a.desk", "a.localhost"] {
            #expect(try reason(made, host: host) != nil)
        }
    }

    @Test(
        "A host name that is not a valid DNS name is left out",
        arguments: ["", "a,DNS:b", "ä", "-a"])
    func oddHostName(name: String) throws {
        #expect(try reason(try certificate(hostName: name), host: "localhost") == nil)
    }

    @Test(
        "Which host names can be written into a certificate",
        arguments: [
            ("desk", "desk"), ("Desk.Home-1.example", "desk.home-1.example"), ("4711a", "4711a"),
            ("localhost", nil), ("", nil), (".", nil), ("a.", nil), ("a..b", nil), ("a_b", nil),
            ("a-", nil), ("1.2.3.4", nil), ("ä", nil), ("a\0b", nil), ("a,b", nil),
            (String(repeating: "a", count: 65), nil),
        ] as [(String, String?)])
    func usableName(name: String, expected: String?) {
        #expect(DevelopmentCertificate.usableName(name) == expected)
    }

    @Test("Only the owner can read the key, and everyone the authority's certificate")
    func rights() throws {
        let before = umask(0o077)
        defer { umask(before) }
        let made = try certificate()
        #expect(made.isNew)
        #expect(try mode(made.files.key) == 0o600)
        #expect(try mode(made.authorityPath) == 0o644)
        #expect(made.authorityPath == folder + "/development-ca.pem")
        let all = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(all) == ["development-ca.pem", "development-tls.pem"])
    }

    @Test("The authority's private key is kept nowhere")
    func noAuthorityKey() throws {
        let made = try certificate()
        #expect(try !text(made.authorityPath).contains("PRIVATE"))
        let keys = try text(made.files.key).components(separatedBy: "BEGIN PRIVATE KEY").count - 1
        #expect(keys == 1)
        let authority = try TextFile.read(made.authorityPath)
        #expect(throws: CertificateRefusal.differentPairs) {
            let pair = PEMCertificate(chain: authority, key: try TextFile.read(made.files.key))
            _ = try TLSContext(server: pair)
        }
    }

    @Test("The next start uses the files of the previous one, even under another host name")
    func reuse() throws {
        let made = try certificate()
        let (authority, server) = (try text(made.authorityPath), try text(made.files.key))
        let last = DevelopmentCertificate.lifetime - DevelopmentCertificate.reserve
        for later in [0, 86_400, last - DevelopmentCertificate.backdating - 60] {
            #expect(try !certificate(hostName: "other", later: later).isNew)
        }
        #expect(try text(made.authorityPath) == authority)
        #expect(try text(made.files.key) == server)
    }

    @Test(
        "A certificate that expires soon, or is not valid yet, is replaced",
        arguments: [796, 900, -1])
    func renewal(days: Int) throws {
        let made = try certificate()
        let authority = try text(made.authorityPath)
        #expect(try certificate(later: days * 86_400).isNew)
        #expect(try text(made.authorityPath) != authority)
    }

    @Test(
        "Certificates of 2039, 2049, 2050 and 2106 are valid for their time",
        arguments: [2_177_452_800, 2_493_072_000, 2_530_000_000, 4_300_000_000] as [Double])
    func farTime(moment: Double) throws {
        func made(_ later: Double) throws -> DevelopmentCertificate {
            try DevelopmentCertificate(in: folder, hostName: "desk", now: moment + later)
        }
        #expect(try made(0).isNew)
        let context = try CertificateStore(try made(86_400).files).context
        #expect(try !made(86_400).isNew)
        #expect(context.certificateValidity(at: moment) == .current)
        #expect(context.certificateValidity(at: moment - 7_200) == .notYetValid)
        let end = Double(DevelopmentCertificate.lifetime)
        #expect(context.certificateValidity(at: moment + end) == .expired)
        #expect(try made(end).isNew)
    }

    @Test("Files that are damaged, missing or do not match are replaced")
    func torn() throws {
        let made = try certificate()
        let old = try text(made.authorityPath)
        func damage(_ path: String, _ text: String?) throws {
            unlink(path)
            if let text { try KeyFile.create(path, Array(text.utf8).span) }
            #expect(try certificate().isNew)
            #expect(try !certificate().isNew)
            #expect(try reason(made, host: "localhost") == nil)
        }
        for path in [made.authorityPath, made.files.key] {
            for text in [nil, "", "-----BEGIN CERTIFICATE-----\nAAAA\n", old] {
                try damage(path, text)
            }
        }
    }

    @Test("A key that others can read is refused, and left as it is")
    func readableByOthers() throws {
        let made = try certificate()
        chmod(made.files.key, 0o640)
        #expect(
            throws: DevelopmentCertificate.Failure.unreadable(
                .readableByOthers(path: made.files.key, mode: 0o640))
        ) { try certificate() }
    }

    @Test("The error names a missing folder")
    func noFolder() throws {
        let path = folder + "/none/development-tls.pem"
        do throws(DevelopmentCertificate.Failure) {
            _ = try DevelopmentCertificate(in: folder + "/none", hostName: "desk", now: now)
            Issue.record("made")
        } catch {
            #expect(error.description == "\(path): open: No such file or directory")
        }
    }

    @Test("Its instructions say how to trust it")
    func instructions() throws {
        let text = try certificate().instructions(for: "https://localhost:8443/")
        #expect(
            text.contains(
                "sudo cp \(folder)/development-ca.pem "
                    + "/usr/local/share/ca-certificates/bellwire-development.crt"))
        #expect(text.contains("sudo update-ca-certificates"))
        #expect(text.contains("Firefox"))
        #expect(text.contains("curl --cacert \(folder)/development-ca.pem https://localhost:8443/"))
    }
}
