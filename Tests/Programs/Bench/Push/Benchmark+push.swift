extension Benchmark {
    static let push = Benchmark(
        name: "push", summary: "put load on a server (--port, --certificate, NAME=VALUE ...)"
    ) { options in
        var load = try PushLoadOptions(options.pairs)
        load.port = options.port
        load.certificate = options.certificate
        load.seconds = options.seconds
        try PushLoad(load).run()
        return true
    }
}
