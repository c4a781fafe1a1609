import Base
import Mailbox
import System

extension Benchmark {
    /// Fills a store for `register-start` and `push-server`.
    static let registerMake = Benchmark(
        name: "register-make", summary: "make a store with registrations (--folder, --endpoints)"
    ) { options in
        let start = Clock.nanoseconds
        let store = try SQLiteStore(try MailboxBench.options(options.folder))
        let maker = try RegistrationMaker(store)
        try maker.make(options.endpoints)
        store.close()
        try KeyFile.create(options.folder + "/targets", maker.targets.text.span)
        let seconds = Double(Clock.nanoseconds - start) / 1_000_000_000
        print("\(options.endpoints) registrations made in \(seconds.text(digits: 1)) s")
        return true
    }

    /// Measures how long a server with these registrations takes to start, and to find one of them.
    static let registerStart = Benchmark(
        name: "register-start", summary: "open the store that register-make has made (--folder)"
    ) { options in
        let targets = try RegisteredTargets(file: options.folder + "/targets")
        let start = Clock.nanoseconds
        let store = try SQLiteStore(try MailboxBench.options(options.folder))
        let wall = Double(Clock.nanoseconds - start) / 1_000_000_000
        defer { store.close() }
        let digests = try digests(of: targets, store)
        let before = Clock.cpu
        for _ in 0..<20 {
            for digest in digests {
                guard case .found = store.index.endpoint(digest) else {
                    throw MailboxBench.Failed(what: "the store does not find a registration")
                }
            }
        }
        let lookUp = (Clock.cpu - before) / Double(20 * digests.count) * 1_000_000_000
        print(
            "seconds=\(wall.text(digits: 3)) look_up_ns=\(lookUp.text(digits: 0))",
            "endpoints=\(store.report.endpoints)")
        return true
    }

    /// The digests of a thousand of them, spread over the file.
    private static func digests(
        of targets: RegisteredTargets, _ store: SQLiteStore
    ) throws -> [Digest] {
        var mint = try EndpointMint(key: store.endpointKey)
        let step = max(1, targets.targets.count / 1_000)
        return try stride(from: 0, to: targets.targets.count, by: step).compactMap { index in
            let text = targets.targets[index].path.split(separator: "/").last.map(String.init)
            guard let bytes = text.flatMap({ Base64URL.decode($0) }),
                let token = try mint.token(bytes)
            else { return nil }
            return try mint.digest(of: token)
        }
    }
}
