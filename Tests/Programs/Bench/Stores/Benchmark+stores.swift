import CBench
import System

/// Stores that are too large to be made by requests, and the limit of what storing may cost.
extension Benchmark {
    static let fill = Benchmark(
        name: "fill",
        summary:
            "make a store with messages (--state, --keys, --endpoints, --messages, agents=FILE)"
    ) { options in
        let store = try MadeStore.make(options)
        defer { store.close() }
        let filler = StoreFiller(store)
        try filler.addEndpoints(options.endpoints)
        try filler.addMessages(options.messages)
        if let file = options.pairs["agents"] { try KnownAgent.write(filler.agents, to: file) }
        return true
    }

    static let registrations = Benchmark(
        name: "registrations",
        summary: "make a store with registrations (--state, --keys, --endpoints, targets=FILE)"
    ) { options in
        let store = try MadeStore.make(options)
        defer { store.close() }
        let maker = try RegistrationMaker(store)
        try maker.make(options.endpoints)
        try KeyFile.create(options.pairs["targets"] ?? "", maker.targets.text.span)
        return true
    }

    static let rows = Benchmark(
        name: "rows",
        summary: "commit rows in C (--state FILE, --seconds, size=BYTES, batch=ROWS)"
    ) { options in
        guard let size = options.pairs["size"].flatMap({ Int($0) }), size > 0,
            let batch = options.pairs["batch"].flatMap({ Int32($0) }), batch > 0
        else { throw Options.Failure(message: "size and batch are needed") }
        let cost = cbench_rows(options.state, size, batch, options.seconds)
        print("row_us=\(cost.text(digits: 2))")
        return true
    }
}
