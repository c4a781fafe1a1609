import Base

/// Messages of a client that cannot be handled yet, in order and up to a limit.
struct Inbox {
    private var texts: [[UInt8]] = []
    private var first = 0
    private var bytes = 0

    private static let countLimit = 4_096
    private static let byteLimit = 256 * 1024

    var isEmpty: Bool { first == texts.count }

    /// Returns false, and keeps nothing, if there is no room.
    mutating func put(_ text: Span<UInt8>) -> Bool {
        guard texts.count < Self.countLimit, bytes + text.count <= Self.byteLimit else {
            return false
        }
        texts.append(text.array(text.indices))
        bytes += text.count
        return true
    }

    mutating func removeFirst() -> [UInt8]? {
        guard first < texts.count else { return nil }
        let text = texts[first]
        first += 1
        if isEmpty { self = Inbox() }
        return text
    }
}
