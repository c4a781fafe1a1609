/// Whether two interleaved series of times have the same mean (Welch's t).
struct WelchTest {
    /// Chance alone does not explain a larger t.
    static let limit = 4.5

    /// The fractions of the fastest measurements that are compared. Interrupts fill the slow end,
    /// and a small difference shows best without them.
    private static let crops = [0.5, 0.75, 0.9, 0.99]

    /// The largest t of all crops.
    let t: Double
    /// The difference of the means in that crop in nanoseconds, and its standard error.
    let difference: Double
    let error: Double

    init(_ first: [Double], _ second: [Double]) {
        let all = (first + second).sorted()
        var worst = (t: 0.0, difference: 0.0, error: 0.0)
        for crop in Self.crops {
            // One threshold for both series, so that cropping makes no difference.
            let threshold = all[Int(Double(all.count - 1) * crop)]
            let (a, b) = (Moments(first, upTo: threshold), Moments(second, upTo: threshold))
            let difference = a.mean - b.mean
            let error = (a.squaredError + b.squaredError).squareRoot()
            let t = error > 0 ? difference / error : 0
            if abs(t) >= abs(worst.t) { worst = (t, difference, error) }
        }
        (t, difference, error) = worst
    }

    var isSame: Bool { abs(t) < Self.limit }

    private struct Moments {
        let mean: Double
        /// The square of the standard error of the mean.
        let squaredError: Double

        init(_ values: [Double], upTo threshold: Double) {
            let values = values.filter { $0 <= threshold }
            let count = Double(values.count)
            let mean = values.reduce(0, +) / Swift.max(count, 1)
            let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            self.mean = mean
            squaredError = squares / Swift.max((count - 1) * count, 1)
        }
    }
}
