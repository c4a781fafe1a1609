/// The printed results, line by line as they become known.
struct ResultTable {
    init() {
        print(
            "operation".padded(to: 34), "ours/s".rightAligned(to: 9), "us".rightAligned(to: 8),
            "C/s".rightAligned(to: 9), "ratio".rightAligned(to: 7), "  spread")
    }

    /// Adds the CPU seconds for one operation in each round; returns the median ratio.
    func add(_ name: String, ours: [Double], c: [Double]) -> Double {
        let ratios = zip(ours, c).map { ours, c in c / ours }
        let (low, high) = (ratios.min() ?? 0, ratios.max() ?? 0)
        let spread = "\(low.text(digits: 3))-\(high.text(digits: 3))"
        line(
            name, ours.median, (1 / c.median).text(digits: 0), ratios.median.text(digits: 3),
            spread)
        return ratios.median
    }

    /// Adds an operation without a counterpart in C.
    func add(_ name: String, ours: Double) { line(name, ours, "", "", "") }

    private func line(
        _ name: String, _ seconds: Double, _ c: String, _ ratio: String, _ spread: String
    ) {
        print(
            name.padded(to: 34), (1 / seconds).text(digits: 0).rightAligned(to: 9),
            (seconds * 1_000_000).text(digits: 2).rightAligned(to: 8), c.rightAligned(to: 9),
            ratio.rightAligned(to: 7), spread.rightAligned(to: 13))
    }
}
