/// How long to wait before the next attempt, in milliseconds.
struct CallbackPatience {
    /// Random bits that spread the attempts of many callbacks.
    let random: UInt64

    private static let first: Int64 = 5_000
    private static let longest: Int64 = 86_400_000
    /// Five tries within an hour.
    private static let afterRefusals: [Int64] = [60_000, 300_000, 900_000, 2_100_000]

    /// Whether the status says that the request is wrong, not the moment (RFC 9110 section 15.5).
    /// 408, 425 and 429 are temporary.
    static func isRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// The pause doubles each time, up to a day. The result is a random time between half of that
    /// and all of it.
    func delay(afterAttempts attempts: Int, retryAfter: UInt32 = 0) -> Int64 {
        let longest = min(Self.first << Int64(min(max(attempts - 1, 0), 20)), Self.longest)
        let delay = longest / 2 + Int64(random % UInt64(longest / 2 + 1))
        return max(delay, min(Int64(retryAfter) * 1_000, Self.longest))
    }

    /// Nil after the last try.
    func delay(afterRefusals refusals: Int) -> Int64? {
        guard (1...Self.afterRefusals.count).contains(refusals) else { return nil }
        return Self.afterRefusals[refusals - 1]
    }
}
