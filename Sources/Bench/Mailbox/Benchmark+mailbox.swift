import Mailbox

extension Benchmark {
    /// How fast messages are stored, and how fast they are read back.
    static let mailbox = Benchmark(
        name: "mailbox",
        summary: "store messages and read them back (--folder, --messages, --endpoints)"
    ) { options in
        guard !options.folder.isEmpty else { throw Options.Failure(message: "--folder is missing") }
        let start = Clock.nanoseconds
        let bench = try MailboxBench(folder: options.folder, endpoints: options.endpoints)
        print("\(options.endpoints) endpoints registered in \(seconds(since: start)) s")
        let count = options.messages
        var best = 0.0
        for (threads, devices) in [(1, 5_000), (2, 5_000), (4, 5_000), (4, options.endpoints)] {
            let result = try bench.commit(count, threads: threads, to: devices)
            let rate = Double(count) / result.wall
            best = max(best, rate)
            print(
                "\(threads) threads to \(devices) devices: \(rate.text(digits: 0)) messages/s,",
                "\((result.cpu / Double(count) * 1_000_000).text(digits: 2)) us CPU for each")
        }
        let read = try bench.read(devices: 5_000)
        print(
            "\(read.messages) messages of 5000 devices read in \(read.wall.text(digits: 2)) s")
        bench.end()
        return Bar.report([.atLeast(60_000, "messages committed in a second", best)])
    }

    /// The time to open a store that `mailbox` has left, in a new process.
    static let mailboxStart = Benchmark(
        name: "mailbox-start", summary: "open the store that mailbox has made (--folder)"
    ) { options in
        let before = try MemoryUse.now()
        let start = Clock.nanoseconds
        let store = try SQLiteStore(try MailboxBench.options(options.folder))
        let wall = seconds(since: start)
        let growth = try MemoryUse.now().resident - before.resident
        let each = Double(growth) * 1_024 / Double(max(1, store.report.endpoints))
        print("\(store.report)")
        print("opened in \(wall) s, \(growth) KiB more, \(each.text(digits: 1)) B an endpoint")
        let lookUp = try lookUps(in: store)
        print("a look-up takes \(lookUp.text(digits: 0)) ns of CPU")
        store.close()
        return Bar.report([
            .below(100, "bytes of memory for an endpoint", each),
            .below(1_000, "ns a look-up", lookUp),
        ])
    }

    /// Nanoseconds for looking up an unknown endpoint, the more expensive case.
    private static func lookUps(in store: SQLiteStore) throws -> Double {
        var mint = try EndpointMint(key: store.endpointKey)
        let digests = try (0..<100_000).map { _ in try mint.digest(of: try mint.make()) }
        let start = Clock.cpu
        for digest in digests where store.index.endpoint(digest) != .gone {
            throw MailboxBench.Failed(what: "the store knows an endpoint that it never made")
        }
        return (Clock.cpu - start) / Double(digests.count) * 1_000_000_000
    }

    private static func seconds(since start: Int) -> String {
        (Double(Clock.nanoseconds - start) / 1_000_000_000).text(digits: 2)
    }
}
