/// Which nodes live, by the signs that all give: a value, which asks no clock.
struct LifeSigns {
    /// In milliseconds.
    static let interval: Int64 = 2_000
    private static let patience: Int64 = 15_000

    private let own: String
    private var heard: [String: Int64] = [:]

    init(own: String) { self.own = own }

    mutating func hear(_ node: String, at now: Int64) { heard[node] = now }

    /// Nobody is blamed for the time while this node was cut off.
    mutating func returned(at now: Int64) { for node in heard.keys { heard[node] = now } }

    func living(at now: Int64) -> Set<String> {
        Set(heard.filter { now - $0.value < Self.patience }.keys)
    }

    func others(heardWithin patience: Int64, at now: Int64) -> Set<String> {
        Set(heard.filter { $0.key != own && now - $0.value < patience }.keys)
    }

    /// The nodes that gave no sign while this one's own signs came back. Each is named once.
    @discardableResult
    mutating func takeGone() -> [String] {
        guard let now = heard[own] else { return [] }
        let gone = heard.filter { now - $0.value >= Self.patience }.keys.sorted()
        for node in gone { heard[node] = nil }
        return gone
    }
}
