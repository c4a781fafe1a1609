import Base

/// The words after the command's name: options and positional arguments.
struct Arguments {
    let positional: [String]
    private let values: [String: [String]]

    /// Options are `--name value`, `--name=value` and `--switch`. Everything after `--`, a lone `-`
    /// and a negative number are positional.
    init(_ words: [String], for command: Command) throws {
        var positional: [String] = []
        var values: [String: [String]] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("-"), word != "-", Int(word) == nil else {
                positional.append(word)
                continue
            }
            let (option, value) = try Self.option(word, command)
            if option.value == nil {
                guard value == nil else {
                    throw Self.error("--\(option.name) takes no value", command)
                }
                values[option.name, default: []].append("")
            } else if let value = value ?? rest.popFirst() {
                values[option.name, default: []].append(value)
            } else {
                throw Self.error("--\(option.name) needs a value", command)
            }
        }
        self.positional = positional
        self.values = values
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value wins, so you can override a wrapper's default.
    subscript(_ name: String) -> String? { values[name]?.last }

    /// All values in the order given; nil if there is none.
    func all(_ name: String) -> [String]? { values[name] }

    private static func option(
        _ word: String, _ command: Command
    ) throws -> (Command.Option, value: String?) {
        let name = word.drop { $0 == "-" }
        let equals = name.firstIndex(of: "=")
        let known = command.options.first { $0.name == name[..<(equals ?? name.endIndex)] }
        guard word.hasPrefix("--"), let known else {
            let nearest = NearestWord.to(
                name[..<(equals ?? name.endIndex)], in: command.allOptions.map(\.name))
            throw error(
                "unknown option \(word.prefix { $0 != "=" })", command,
                nearest.map { "did you mean --\($0)? " } ?? "")
        }
        return (known, equals.map { String(name[name.index(after: $0)...]) })
    }

    private static func error(
        _ message: String, _ command: Command, _ guess: String = ""
    ) -> CommandError {
        .usage(message, hint: "\(guess)see bellwire \(command.name) --help")
    }
}
