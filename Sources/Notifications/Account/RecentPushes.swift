/// The identifiers of the pushes that were applied last, so that applying one twice is harmless.
package struct RecentPushes: Equatable, Sendable {
    private(set) var ids: [String] = []
    /// With how it came: what a weaker one claims to be the same does not hold a better one back.
    private var known: [String: TrustLevel] = [:]
    private var oldest = 0

    static let limit = 512

    init(_ pushes: [(id: String, level: TrustLevel)] = []) {
        for push in pushes { insert(push.id, push.level) }
    }

    /// False when it was there already.
    @discardableResult
    mutating func insert(_ id: String, _ level: TrustLevel = .mtproto) -> Bool {
        if let former = known.updateValue(level, forKey: id) {
            known[id] = max(former, level)
            return level > former
        }
        if ids.count < Self.limit {
            ids.append(id)
        } else {
            known[ids[oldest]] = nil
            ids[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }

    /// From the oldest to the newest.
    var inOrder: [(id: String, level: TrustLevel)] {
        (ids[oldest...] + ids[..<oldest]).map { ($0, known[$0] ?? .clear) }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.inOrder.elementsEqual(right.inOrder, by: ==)
    }
}
