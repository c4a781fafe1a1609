/// A result that a benchmark has to reach.
struct Bar {
    let name: String
    let measured: String
    let isReached: Bool

    static func atLeast(_ limit: Double, _ name: String, _ value: Double) -> Bar {
        Bar(
            name: "\(name) at least \(limit.text(digits: 2))", measured: value.text(digits: 3),
            isReached: value >= limit)
    }

    static func below(_ limit: Double, _ name: String, _ value: Double) -> Bar {
        Bar(
            name: "\(name) below \(limit.text(digits: 1))", measured: value.text(digits: 2),
            isReached: value < limit)
    }

    /// Prints a line for each bar; returns whether all were reached.
    static func report(_ bars: [Bar]) -> Bool {
        print()
        for bar in bars {
            let verdict = bar.isReached ? "pass" : "MISS"
            print("\(verdict)  \(bar.name.padded(to: 56))\(bar.measured.rightAligned(to: 10))")
        }
        return bars.allSatisfy(\.isReached)
    }
}
