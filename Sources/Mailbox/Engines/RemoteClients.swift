/// Which engines have clients at other stores.
struct RemoteClients: Sendable {
    /// The clients of one engine at one store.
    struct Count: Equatable, Sendable {
        let fetchers: Int
    }

    private var counts: [UInt32: [String: Count]] = [:]

    func haveAny(_ engine: UInt32) -> Bool { counts[engine] != nil }

    func haveFetchers(_ engine: UInt32) -> Bool {
        counts[engine]?.values.contains { $0.fetchers > 0 } ?? false
    }

    func engines(fetchedAt node: String) -> [UInt32] {
        counts.filter { ($0.value[node]?.fetchers ?? 0) > 0 }.map(\.key)
    }

    var nodes: Set<String> { Set(counts.values.flatMap(\.keys)) }

    /// Nil for none.
    mutating func set(_ count: Count?, of engine: UInt32, at node: String) {
        counts[engine, default: [:]][node] = count
        if counts[engine]?.isEmpty == true { counts[engine] = nil }
    }
}
