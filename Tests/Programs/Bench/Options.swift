/// The arguments after a benchmark's name.
struct Options {
    struct Failure: Error { let message: String }

    /// CPU seconds for each contender and round.
    var seconds = 0.5
    var rounds = 7
    /// Measurements for each class of scalars.
    var samples = 100_000
    var isMillion = false
    var scalar: TestScalar?
    var port = 0
    var certificate = ""
    var messages = 100_000
    var endpoints = 1_000_000
    /// Of a server: for its store and for its keys.
    var state = ""
    var keys = ""
    /// Arguments of the form NAME=VALUE.
    var pairs: [String: String] = [:]

    init(_ words: ArraySlice<String>) throws(Failure) {
        var rest = words
        while let word = rest.popFirst() {
            switch word {
            case "--million": isMillion = true
            case "--seconds": seconds = try Self.number(Double.init, word, &rest)
            case "--rounds": rounds = try Self.number({ Int($0) }, word, &rest)
            case "--samples": samples = try Self.number({ Int($0) }, word, &rest)
            case "--scalar": scalar = try Self.number(TestScalar.init, word, &rest)
            case "--port": port = try Self.number({ Int($0) }, word, &rest)
            case "--certificate": certificate = try Self.number(\.self, word, &rest)
            case "--messages": messages = try Self.number({ Int($0) }, word, &rest)
            case "--endpoints": endpoints = try Self.number({ Int($0) }, word, &rest)
            case "--state": state = try Self.number(\.self, word, &rest)
            case "--keys": keys = try Self.number(\.self, word, &rest)
            default:
                guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                    throw Failure(message: "unknown option \(word)")
                }
                pairs[String(word[..<equals])] = String(word[word.index(after: equals)...])
            }
        }
        guard seconds > 0, rounds > 0, samples > 1 else {
            throw Failure(message: "numbers must be positive")
        }
    }

    private static func number<Value>(
        _ parse: (String) -> Value?, _ name: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> Value {
        guard let value = rest.popFirst().flatMap(parse) else {
            throw Failure(message: "\(name) needs a value")
        }
        return value
    }
}
