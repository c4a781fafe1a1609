import Crypto
import Glibc
import HTTP
import System

/// Upgrades every request that asks for it.
final class EchoServer: HTTPHandler {
    private let echo = Echo()

    static func serve(certificate: String?, key: String?) throws {
        let server = try HTTPServer(loops: 1) { _ in EchoServer() }
        guard let address = SocketAddress("127.0.0.1:0") else { exit(2) }
        var store: CertificateStore?
        if let certificate, let key {
            store = try CertificateStore(.init(certificate: certificate, key: key))
        }
        let bound = try server.listen(
            on: try ListeningSocket.tcp(address), HTTPListenerTerms(certificates: store))
        signal(SIGPIPE, SIG_IGN)
        try server.start(name: "echo")
        if case .ip(_, let port) = bound.address { print("ready \(port)") }
        fflush(nil)
        _ = server.join()
    }

    func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }

    func handle(_ exchange: HTTPExchange) { exchange.upgrade(Echo.terms, to: echo) }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), Array(refusal.rawValue.utf8))
    }
}
