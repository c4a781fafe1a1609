/// Keeps one kind of line from filling a log. Pure: the time is passed in.
struct LogThrottle {
    /// So many lines of a kind are written in a window; the rest is counted.
    static let linesPerWindow = 10
    static let window: Int64 = 60_000

    private struct Kind {
        var windowStart: Int64
        var count = 0
    }

    private var kinds: [String: Kind] = [:]
    /// Who was named when, by the kind of line; those of the last window, and so many at most.
    private static let peersKept = 1_024
    private var peers: [String: Int64] = [:]

    /// Whether nothing of this kind was said of `peer` in the last window. More peers than are kept
    /// are as good as one: what is said of them all is bounded in any case.
    mutating func isNew(_ peer: String, in event: String, at now: Int64) -> Bool {
        let key = "\(event) \(peer)"
        if let last = peers[key], now - last < Self.window { return false }
        if peers.count >= Self.peersKept { peers = peers.filter { now - $0.value < Self.window } }
        if peers.count < Self.peersKept { peers[key] = now }
        return true
    }

    /// How many lines of this kind were left out before this one; nil if it is to be left out too.
    mutating func admit(_ event: String, at now: Int64) -> Int? {
        var kind = kinds[event] ?? Kind(windowStart: now)
        var leftOut = 0
        if now - kind.windowStart >= Self.window {
            leftOut = max(0, kind.count - Self.linesPerWindow)
            kind = Kind(windowStart: now)
        }
        kind.count += 1
        kinds[event] = kind
        return kind.count <= Self.linesPerWindow ? leftOut : nil
    }
}
