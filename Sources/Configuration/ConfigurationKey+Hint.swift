extension ConfigurationKey {
    static func hint(for name: String) -> String {
        // A longer name is not a typing mistake, and comparing it would take long.
        guard name.utf8.count <= 64 else { return everyKey }
        let word = name.lowercased().replacing("_", with: "-")
        let nearest = all.min { distance($0.name, word) < distance($1.name, word) }
        guard let nearest, distance(nearest.name, word) <= max(2, word.count / 3) else {
            return everyKey
        }
        return "did you mean \(nearest.name)?"
    }

    private static var everyKey: String {
        "the keys are " + all.map(\.name).joined(separator: ", ")
    }

    /// The edit distance: how many letters must be inserted, removed or changed.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let changed = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
