import Foundation
import TestSupport
import Testing

@Suite("bellwire send: certificates")
struct SendTrustTests {
    @Test("A certificate that is not trusted is a refusal, with a hint at --ca-file")
    func untrusted() throws {
        let fixture = try ServeFixture()
        let server = try fixture.start()
        let endpoint = "https://localhost:\(server.port)/wpush/v1/secret-token"
        // In another home, nothing is known of the server's own authority.
        let stranger = try ServeFixture()
        let refused = try stranger.run(["send", "--endpoint", endpoint])
        #expect(refused.exitCode == 3 && refused.output.isEmpty, "\(refused.errors)")
        #expect(refused.errors.contains("error: the certificate of localhost is not trusted\n"))
        #expect(refused.errors.contains("--ca-file"))
        #expect(!refused.errors.contains("secret-token"))
        let trusted = try stranger.run([
            "send", "--endpoint", endpoint, "--ca-file", fixture.authority,
        ])
        #expect(trusted.output.hasPrefix("404 "), "\(trusted.errors)")
        #expect(server.end() == 0)
    }
}
