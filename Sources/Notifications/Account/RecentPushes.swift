/// The identifiers of the latest pushes, so that a repeated push changes nothing.
package struct RecentPushes: Equatable, Sendable {
    private(set) var ids: [String] = []
    /// Each identifier has its trust level: a weaker push with the same identifier does not block a
    /// stronger one.
    private var known: [String: TrustLevel] = [:]
    private var oldest = 0

    static let limit = 512

    init(_ pushes: [(id: String, level: TrustLevel)] = []) {
        for push in pushes { insert(push.id, push.level) }
    }

    /// False if it was known already.
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

    /// Oldest first.
    var inOrder: [(id: String, level: TrustLevel)] {
        (ids[oldest...] + ids[..<oldest]).map { ($0, known[$0] ?? .clear) }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.inOrder.elementsEqual(right.inOrder, by: ==)
    }
}
