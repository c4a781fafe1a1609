import Foundation
import TestSupport
import Testing

@Suite("The Matrix gateway of a running server")
struct GatewayTests {
    @Test(
        "It answers in Matrix's format over TLS, in HTTP/1.1 and HTTP/2",
        arguments: ["1.1", "2"])
    func protocols(version: String) throws {
        let fixture = try ServeFixture()
        let server = try fixture.start()
        let url = server.baseURL + "/_matrix/push/v1/notify"
        let body = #"{"notification":{"devices":[{"app_id":"a","pushkey":"https://x.example/y"}]}}"#
        func ask(_ arguments: String...) throws -> String {
            try fixture.curl(["--http\(version)", url] + arguments)
        }
        #expect(try ask() == #"{"unifiedpush":{"gateway":"matrix"}} 200"#)
        #expect(try ask("-d", body) == #"{"rejected":["https://x.example/y"]} 200"#)
        let file = fixture.home.file("large")
        // With spaces after the JSON it is still the same notification.
        for (count, answer) in [
            (524_288, #"{"rejected":["https://x.example/y"]} 200"#),
            (524_289, #"{"errcode":"M_TOO_LARGE","#),
        ] {
            let spaces = String(repeating: " ", count: count - body.utf8.count)
            try (body + spaces).write(toFile: file, atomically: true, encoding: .utf8)
            // A client that only sends may find the connection closed before it reads the reason.
            let text = try ask("-H", "Expect: 100-continue", "--data-binary", "@\(file)")
            #expect(text.hasPrefix(answer), "\(text)")
            #expect(text.hasSuffix(count > 524_288 ? " 413" : " 200"))
        }
        #expect(server.end() == 0)
    }
}
