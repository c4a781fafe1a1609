import Base
import Notifications

extension Benchmark {
    static let engine = Benchmark(
        name: "engine",
        summary: "send pushes through the notification engine (--seconds, --rounds)"
    ) { options in
        print("\(options.rounds) rounds of \(options.seconds) s CPU\n")
        let contest = Contest(rounds: options.rounds, seconds: options.seconds)
        let table = ResultTable()
        let few = try pushes(EnginePushes(groups: 3), "push, 3 chats", contest, table)
        var measured = EnginePushes(groups: 3)
        let json = try contest.run(
            Contender { _ in
                guard length(of: measured.push()) > 0 else { throw NoUpdates() }
            })
        table.add("push, 3 chats, updates as JSON", ours: json)
        var crowded = EnginePushes(groups: 25, known: 1_000_000)
        for _ in 0..<25 * 25 { _ = crowded.push() }
        let many = try pushes(crowded, "push, 1,000,000 chats, 25 x 25", contest, table)
        return Bar.report([
            .below(8, "a push to 3 chats, in us,", few * 1_000_000),
            .below(8, "a push to 1,000,000 chats, in us,", many * 1_000_000),
            .below(300, "open 100,000 notifications, in ms,", try opening() * 1000),
        ])
    }

    private static func pushes(
        _ pushes: EnginePushes, _ name: String, _ contest: Contest, _ table: ResultTable
    ) throws -> Double {
        var pushes = pushes
        let seconds = try contest.run(
            Contender { _ in
                guard !pushes.push().isEmpty else { throw NoUpdates() }
            })
        table.add(name, ours: seconds)
        return seconds
    }

    private struct NoUpdates: Error {}

    /// The time from the stored bytes to the first update.
    private static func opening() throws -> Double {
        var pushes = EnginePushes(groups: 5000)
        for _ in 0..<100_000 { _ = pushes.push() }
        let state = pushes.engine.account.state
        return try (0..<5).map { _ in
            let start = Clock.cpu
            var engine = Engine(try Account(state: state))
            engine.start(now: 1_800_100_000)
            guard length(of: engine.takeUpdates()) > 0 else { throw NoUpdates() }
            return Clock.cpu - start
        }.median
    }

    /// The length of the updates as JSON.
    private static func length(of updates: [Update]) -> Int {
        var writer = JSONWriter()
        for update in updates { update.write(to: &writer) }
        return writer.count
    }
}
