/// Keeps one kind of event from filling the log. It is a pure value: the time is passed in.
struct LogThrottle {
    /// Further lines of a kind in the same window are counted, not written.
    static let linesPerWindow = 10
    static let window: Int64 = 60_000

    private struct Kind {
        var windowStart: Int64
        var count = 0
    }

    private var kinds: [String: Kind] = [:]
    /// When each peer was last mentioned, by kind of event. Their number is limited, and only the
    /// last window counts.
    private static let peersKept = 1_024
    private var peers: [String: Int64] = [:]

    /// Whether no line of this kind mentioned `peer` in the last window. Beyond the bound every
    /// peer counts as new; `admit` still limits their lines.
    mutating func isNew(_ peer: String, in event: String, at now: Int64) -> Bool {
        let key = "\(event) \(peer)"
        if let last = peers[key], now - last < Self.window { return false }
        if peers.count >= Self.peersKept { peers = peers.filter { now - $0.value < Self.window } }
        if peers.count < Self.peersKept { peers[key] = now }
        return true
    }

    /// How many lines of this kind were left out before this one; nil if this one is left out too.
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
