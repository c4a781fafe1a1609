/// One way to do an operation; it is passed the index of the item to work on.
struct Contender {
    let run: (Int) throws -> Void
}

/// Several ways to do one operation, measured in turns, so that a slow machine affects all of them
/// alike.
struct Contest {
    /// How many items each contender processes in one turn.
    static let itemCount = 256

    let rounds: Int
    let seconds: Double

    /// CPU seconds for one operation: one row for each round, one column for each contender.
    func run(_ contenders: [Contender]) throws -> [[Double]] {
        _ = try round(contenders, seconds: seconds / 4)
        return try (0..<rounds).map { _ in try round(contenders, seconds: seconds) }
    }

    /// CPU seconds for one operation in the median round.
    func run(_ contender: Contender) throws -> Double {
        try run([contender]).map { $0[0] }.median
    }

    /// The median turn of each contender, so that turns on a busy machine do not count.
    private func round(_ contenders: [Contender], seconds: Double) throws -> [Double] {
        var turns = [[Double]](repeating: [], count: contenders.count)
        var used = 0.0
        while used < seconds * Double(contenders.count) {
            for (index, contender) in contenders.enumerated() {
                let start = Clock.cpu
                for item in 0..<Self.itemCount { try contender.run(item) }
                let turn = Clock.cpu - start
                turns[index].append(turn)
                used += turn
            }
        }
        return turns.map { $0.median / Double(Self.itemCount) }
    }
}

extension [Double] {
    /// The median; of an even number of values, the upper one.
    var median: Double { sorted()[count / 2] }
}
