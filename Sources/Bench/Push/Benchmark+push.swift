import API
import Configuration
import HTTP
import Mailbox
import PushService
import Reactor
import TLS

extension Benchmark {
    /// The server that `tools/bench push` measures; it serves until it is ended.
    static let pushServer = Benchmark(
        name: "push-server",
        summary: "run a push service (--port, --certificate, --key, --folder)"
    ) { options in
        let store = try SQLiteStore(try MailboxBench.options(options.folder))
        var settings = PushServiceSettings(
            baseURL: try BaseURL("https://localhost:\(options.port)"), version: "bench")
        settings.isBehindProxy = options.pairs["behind-proxy"] == "yes"
        let service = PushContext(
            store: store, endpointKey: store.endpointKey, settings: settings)
        let (pushes, api) = (PushLoops(service), APILoops(service))
        let server = try HTTPServer { try pushes.handler(on: $0, api.routes(on: $0)) }
        guard let address = SocketAddress("127.0.0.1:\(options.port)") else {
            throw Options.Failure(message: "--port takes a number up to 65535")
        }
        let certificates = try CertificateStore(
            CertificateStore.Files(certificate: options.certificate, key: options.key))
        let bound = try server.listen(
            on: try ListeningSocket.tcp(address), HTTPListenerTerms(certificates: certificates))
        try server.start(name: "push")
        print("ready \(bound.address)")
        _ = server.join()
        pushes.close()
        api.close()
        return true
    }

    /// The load program.
    static let push = Benchmark(
        name: "push", summary: "put load on a push service (--port, --certificate, NAME=VALUE ...)"
    ) { options in
        var load = try PushLoadOptions(options.pairs)
        load.port = options.port
        load.certificate = options.certificate
        load.seconds = options.seconds
        try PushLoad(load).run()
        return true
    }
}
