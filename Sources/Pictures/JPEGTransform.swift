/// The inverse cosine transform of a block (T.81 section A.3.3), one direction after the other.
enum JPEGTransform {
    /// The positions of the coefficients in file order (T.81 figure A.6).
    static let order: [Int] = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27,
        20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
        58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]

    /// Half the cosine of k·π/16.
    private static let cosines: [Float] = [
        0.5, 0.490392640, 0.461939766, 0.415734806, 0.353553391, 0.277785117, 0.191341716,
        0.0975451610,
    ]

    /// The weight of frequency `u` at position `x`: cos((2x + 1)uπ/16) / 2, or less for the
    /// constant part (`u` = 0).
    private static let weights: [Float] = (0..<64).map { index in
        let (x, u) = (index / 8, index % 8)
        if u == 0 { return cosines[4] }
        // The angle, in steps of π/16, reduced to the first quarter.
        let angle = (2 * x + 1) * u % 32
        let half = angle > 16 ? 32 - angle : angle
        return half == 8 ? 0 : half < 8 ? cosines[half] : -cosines[16 - half]
    }

    static func invert(_ block: inout [Float]) {
        var lines = [Float](repeating: 0, count: 64)
        for row in 0..<8 {
            for x in 0..<8 {
                var sum: Float = 0
                for u in 0..<8 { sum += weights[x * 8 + u] * block[row * 8 + u] }
                lines[row * 8 + x] = sum
            }
        }
        for column in 0..<8 {
            for y in 0..<8 {
                var sum: Float = 0
                for v in 0..<8 { sum += weights[y * 8 + v] * lines[v * 8 + column] }
                block[y * 8 + column] = sum
            }
        }
    }
}
