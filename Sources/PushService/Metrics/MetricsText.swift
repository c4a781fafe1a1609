/// The text format of Prometheus, version 0.0.4: families of values, each with its help.
struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Labels contain only fixed words, so they need no escaping.
    mutating func add(_ labels: [(String, String)] = [], _ value: Int, suffix: String = "") {
        add(labels, "\(value)", suffix: suffix)
    }

    mutating func add(_ value: Double, suffix: String = "") { add([], "\(value)", suffix: suffix) }

    /// A value for each word. The known words begin with 0: a rate counts from the first value that
    /// a reader has seen.
    mutating func add(
        _ label: String, _ counts: [(word: String, count: Int)], known: [String] = []
    ) {
        var values = Dictionary(known.map { ($0, 0) }) { first, _ in first }
        for (word, count) in counts { values[word] = count }
        for (word, count) in values.sorted(by: { $0.key < $1.key }) { add([(label, word)], count) }
    }

    /// A family with one value.
    mutating func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
        begin(name, type, help)
        add([], value)
    }

    private mutating func add(_ labels: [(String, String)], _ value: String, suffix: String) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text +=
            list.isEmpty ? "\(name)\(suffix) \(value)\n" : "\(name)\(suffix){\(list)} \(value)\n"
    }
}
