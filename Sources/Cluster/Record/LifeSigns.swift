/// Which nodes live, by the signs that all give: a value, which asks no clock.
struct LifeSigns {
    /// In milliseconds.
    static let interval: Int64 = 2_000
    private static let patience: Int64 = 15_000

    private struct Sign {
        var at: Int64
        /// Nil if the node says nothing of itself.
        var terms: NodeTerms?
    }

    private let own: String
    private var heard: [String: Sign] = [:]

    init(own: String) { self.own = own }

    mutating func hear(_ node: String, _ terms: NodeTerms? = nil, at now: Int64) {
        heard[node] = Sign(at: now, terms: terms)
    }

    /// It has ended in order.
    mutating func leave(_ node: String) { heard[node] = nil }

    /// Nobody is blamed for the time while this node was cut off.
    mutating func returned(at now: Int64) { for node in heard.keys { heard[node]?.at = now } }

    func living(at now: Int64) -> Set<String> { Set(signs(within: Self.patience, at: now).keys) }

    /// What the living nodes tell of themselves.
    func terms(at now: Int64) -> [String: NodeTerms?] {
        signs(within: Self.patience, at: now).mapValues(\.terms)
    }

    func others(heardWithin patience: Int64, at now: Int64) -> Set<String> {
        Set(signs(within: patience, at: now).keys).subtracting([own])
    }

    private func signs(within patience: Int64, at now: Int64) -> [String: Sign] {
        heard.filter { now - $0.value.at < patience }
    }

    /// The nodes that gave no sign while this one's own signs came back. Each is named once.
    @discardableResult
    mutating func takeGone() -> [String] {
        guard let now = heard[own]?.at else { return [] }
        let gone = heard.filter { now - $0.value.at >= Self.patience }.keys.sorted()
        for node in gone { heard[node] = nil }
        return gone
    }
}
