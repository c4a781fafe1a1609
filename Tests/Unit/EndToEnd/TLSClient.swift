import Foundation
import TestSupport

/// One open TLS connection: `openssl s_client`, used line by line.
final class TLSClient {
    private let process: RunningProcess
    private var text = ""

    init(port: Int) throws {
        process = try RunningProcess(
            "/usr/bin/openssl",
            ["s_client", "-connect", "127.0.0.1:\(port)", "-alpn", "http/1.1"],
            hasInput: true, errors: .nowhere)
        _ = try read(until: "---\nSSL handshake")
    }

    /// The subject of the server's certificate.
    var subject: String { text.components(separatedBy: "subject=").last ?? "" }

    func ask(_ path: String) throws -> String {
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try process.input.write(contentsOf: Data(request.utf8))
        return try read(until: "}")
    }

    /// Opens a WebSocket, which stays open as long as this object lives.
    func upgrade(_ path: String) throws {
        let fields = [
            "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let request = "GET \(path) HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n"
        try process.input.write(contentsOf: Data(request.utf8))
        _ = try read(until: "HTTP/1.1 101")
    }

    private func read(until end: String) throws -> String {
        var answer = ""
        while !answer.contains(end) {
            let data = process.output.availableData
            guard !data.isEmpty else { throw POSIXError(.ECONNRESET) }
            answer += String(decoding: data, as: UTF8.self)
        }
        text += answer
        return answer
    }
}
