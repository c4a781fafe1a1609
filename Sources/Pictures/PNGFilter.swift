/// Undoes the filters of PNG: each row names how its bytes were predicted from earlier ones
/// (ISO/IEC 15948 section 9).
enum PNGFilter {
    /// `step` is the distance to the same sample of the pixel to the left.
    static func undo(
        _ rows: inout [UInt8], rowSize: Int, step: Int
    ) throws(Picture.Refusal) {
        for start in stride(from: 0, to: rows.count, by: rowSize + 1) {
            let filter = rows[start]
            guard filter < 5 else { throw .damaged }
            guard filter > 0 else { continue }
            for place in start + 1...start + rowSize {
                let hasLeft = place - start > step
                let left = hasLeft ? Int(rows[place - step]) : 0
                let above = start > 0 ? Int(rows[place - rowSize - 1]) : 0
                let corner = hasLeft && start > 0 ? Int(rows[place - rowSize - 1 - step]) : 0
                let predicted =
                    switch filter {
                    case 1: left
                    case 2: above
                    case 3: (left + above) / 2
                    default: nearest(left, above, corner)
                    }
                rows[place] &+= UInt8(predicted)
            }
        }
    }

    /// The Paeth predictor: the value nearest to left + above - corner.
    private static func nearest(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let expected = left + above - corner
        let distances = (
            abs(expected - left), abs(expected - above), abs(expected - corner)
        )
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }
}
