import HTTP
import Reactor
import TLS

extension Benchmark {
    /// The server whose cost `tools/bench http` measures; it serves until it is ended.
    static let serve = Benchmark(
        name: "serve", summary: "answer every request with 201, for a load program to measure"
    ) { options in
        let server = try HTTPServer(loops: 1) { _ in CreatedHandler() }
        guard let address = SocketAddress("127.0.0.1:\(options.port)") else {
            throw Options.Failure(message: "--port takes a number up to 65535")
        }
        let certificates = try CertificateStore(
            CertificateStore.Files(certificate: options.certificate, key: options.key))
        let bound = try server.listen(
            on: try ListeningSocket.tcp(address), HTTPListenerTerms(certificates: certificates))
        try server.start(name: "serve")
        print("ready \(bound.address)")
        _ = server.join()
        return true
    }
}

/// The smallest answer of a push service.
private final class CreatedHandler: HTTPHandler {
    private static let location = Array("https://localhost/m/0123456789abcdef012345".utf8)

    func bodyLimit(for head: borrowing RequestHead) -> Int { 5_630 }

    func handle(_ exchange: HTTPExchange) {
        var head = exchange.answer(201)
        head.fields.append("Location", Self.location.span)
        head.fields.append("TTL", "60")
        exchange.respond(head)
    }

    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
        (ResponseHead(status: refusal.status), [])
    }
}
