/// The words behind the name of the program.
struct Options {
    struct Unknown: Error { let word: String }

    var certificate = ""
    var divisor = 1
    var connections = 50_000
    var loops = 1
    /// How many records are sealed before the keys are updated; nil: as usual.
    var recordsPerKey: UInt64?

    init(_ words: ArraySlice<String>) throws {
        var rest = words
        while let word = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Unknown(word: word) }
            switch (word, Int(value)) {
            case ("--certificate", _): certificate = value
            case ("--divide", let number?) where number > 0: divisor = number
            case ("--connections", let number?): connections = number
            case ("--loops", let number?): loops = number
            case ("--records", let number?) where number > 0: recordsPerKey = UInt64(number)
            default: throw Unknown(word: word)
            }
        }
    }
}
