/// The identifiers of the pushes that were applied last, so that applying one twice is harmless.
package struct RecentPushes: Equatable, Sendable {
    private(set) var ids: [String] = []
    private var known: Set<String> = []
    private var oldest = 0

    static let limit = 512

    init(_ ids: [String] = []) {
        for id in ids { insert(id) }
    }

    func contains(_ id: String) -> Bool { known.contains(id) }

    /// False when it was there already.
    @discardableResult
    mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if ids.count < Self.limit {
            ids.append(id)
        } else {
            known.remove(ids[oldest])
            ids[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }

    /// From the oldest to the newest.
    var inOrder: [String] { Array(ids[oldest...] + ids[..<oldest]) }

    package static func == (left: Self, right: Self) -> Bool { left.inOrder == right.inOrder }
}
