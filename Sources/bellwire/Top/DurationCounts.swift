import Base

/// How long things took: for each bound, how many took at most so long.
struct DurationCounts: Equatable, Sendable {
    /// In seconds, rising.
    let bounds: [Double]
    /// One more than bounds: the last counts all.
    let counts: [Int]

    /// Nil if the lists do not belong together.
    init?(_ node: JSONNode) {
        bounds = (node["bounds"]?.elements ?? []).compactMap(\.number)
        counts = (node["counts"]?.elements ?? []).compactMap(\.whole)
        guard !bounds.isEmpty, counts.count == bounds.count + 1 else { return nil }
    }

    /// The bound within which this share of all was done; nil if there was nothing, or if the rest
    /// took longer than every bound.
    func bound(for share: Double) -> Double? {
        guard let all = counts.last, all > 0 else { return nil }
        return zip(bounds, counts).first { Double($0.1) >= share * Double(all) }?.0
    }
}
