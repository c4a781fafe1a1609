import Base

/// What a stream's leader says of it.
struct LogState: Equatable, Sendable {
    let first: Int64
    let last: Int64
    /// Milliseconds since it last heard of so many servers that no other can lead.
    let age: Int64
    /// Milliseconds since 1970, by its clock.
    let time: Int64

    init(first: Int64, last: Int64, age: Int64 = 0, time: Int64 = 0) {
        self.first = first
        self.last = last
        self.age = age
        self.time = time
    }

    /// Nil unless it is the answer to `STREAM.INFO`.
    init?(_ answer: JSONNode) {
        guard let first = answer["state"]?["first_seq"]?.integer,
            let last = answer["state"]?["last_seq"]?.integer,
            let time = answer["ts"]?.text.flatMap(ServerTime.milliseconds)
        else { return nil }
        self.init(first: first, last: last, age: Self.age(answer["cluster"]), time: time)
    }

    /// A leader that is cut off answers for ten more seconds. It also says, in nanoseconds, when it
    /// last heard of each of the others.
    private static func age(_ cluster: JSONNode?) -> Int64 {
        guard let others = cluster?["replicas"]?.elements, !others.isEmpty else { return 0 }
        let ages = others.map { $0["active"]?.integer ?? .max }.sorted()
        // With this many others it is the majority.
        return ages[(others.count + 1) / 2 - 1] / 1_000_000
    }
}
