/// Memory of finished heads, for reuse on the same loop: a waiting connection then holds none, and
/// a busy loop allocates none.
struct HeadPool {
    private var heads: [RequestHead] = []
    private var fields: [ResponseFields] = []

    /// Few connections are busy at once, so more are rarely needed.
    private static let kept = 128
    /// The memory of an unusually large head is freed.
    private static let keptBytes = 4_096

    mutating func takeHead() -> RequestHead { heads.popLast() ?? RequestHead() }

    mutating func takeFields() -> ResponseFields { fields.popLast() ?? ResponseFields() }

    mutating func giveBack(_ head: consuming RequestHead) {
        guard heads.count < Self.kept, head.fields.bytes.isWorthKeeping(Self.keptBytes) else {
            return
        }
        heads.append(head)
    }

    mutating func giveBack(_ used: consuming ResponseFields) {
        guard fields.count < Self.kept, used.text.isWorthKeeping(Self.keptBytes) else { return }
        used.removeAll()
        fields.append(used)
    }
}

extension [UInt8] {
    fileprivate func isWorthKeeping(_ limit: Int) -> Bool { (1...limit).contains(capacity) }
}
