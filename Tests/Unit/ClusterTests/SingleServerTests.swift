import Foundation
import Mailbox
import TestSupport
import Testing

@testable import Cluster

@Suite(
    "With one server, encrypted",
    .enabled(
        if: NatsServers.program != nil,
        "nats-server is not installed: put it into PATH, or name it in BELLWIRE_NATS_SERVER"))
struct SingleServerTests {
    private let folder: TemporaryFolder
    private let server: RunningProcess
    private let port: UInt16

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.take(1)[0]
        try Self.makeCertificate(in: folder, "server")
        let configuration = """
            listen: "127.0.0.1:\(port)"
            jetstream { store_dir: "\(folder.file("store"))", sync_interval: always }
            tls { cert_file: "\(folder.file("server.pem"))", key_file: "\(folder.file("server.key"))" }
            """
        try Data(configuration.utf8).write(to: URL(filePath: folder.file("conf")))
        // A node may start before its servers.
        server = try RunningProcess(
            "/bin/sh",
            [
                "-c", "sleep 1; exec \"$0\" \"$@\"", #require(NatsServers.program), "-c",
                folder.file("conf"), "-l", folder.file("log"),
            ])
    }

    /// One that is its own authority.
    private static func makeCertificate(in folder: TemporaryFolder, _ name: String) throws {
        let openssl = try RunningProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", folder.file(name + ".key"), "-out", folder.file(name + ".pem"),
            ], errors: .nowhere)
        #expect(openssl.wait() == 0)
    }

    private func cluster(trusting authority: String) throws -> ClusterConnection {
        var settings = ClusterSettings(servers: ["tls://127.0.0.1:\(port)"], name: "a")
        settings.authority = folder.file(authority)
        settings.isPatient = true
        return try ClusterConnection(settings)
    }

    @Test("It has one copy of everything, and trusts only the authority that was named")
    func encrypted() async throws {
        try Self.makeCertificate(in: folder, "other")
        try await onThread { [self] in
            let node = try cluster(trusting: "server.pem")
            let writer = LogWriter(node.log)
            node.state.standForLead()
            #expect(writer.write(LogWriter.entry(1)))
            #expect(writer.write(LogWriter.entry(2, length: 3 << 20)))
            #expect(becomes(within: 5) { node.isUsable && node.state.isLead })
            #expect(try node.state.takeNumbers() == 1)
            node.close()
            #expect(!node.isUsable)
            #expect(throws: ClusterFault.untrusted) { try cluster(trusting: "other.pem") }
            server.end(by: SIGTERM)
        }
    }
}
