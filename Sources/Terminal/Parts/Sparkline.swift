/// A row of small bars.
package enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// The last values, scaled to the largest of them. Nothing is the lowest bar.
    package static func text(_ values: some BidirectionalCollection<Double>, width: Int) -> String {
        let shown = values.suffix(max(width, 0))
        let largest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard largest > 0, value > 0, value.isFinite, largest.isFinite else {
                    return bars[0]
                }
                let step = Int((value / largest * Double(bars.count - 1)).rounded(.up))
                return bars[min(max(step, 0), bars.count - 1)]
            })
    }
}
