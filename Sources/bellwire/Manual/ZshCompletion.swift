import Base

/// Completions for zsh.
struct ZshCompletion {
    private let commands: [Command]

    init(_ commands: [Command]) { self.commands = commands }

    var text: String {
        """
        #compdef bellwire
        # Completions of bellwire for zsh.

        _bellwire() {
            local -a commands
            commands=(
        \(descriptions.joined(separator: "\n"))
            )
            if (( CURRENT == 2 )); then
                _describe command commands
                return
            fi
            shift words
            (( CURRENT-- ))
            case $words[1] in
                help) _arguments "1:command:(\(commands.map(\.name).joined(separator: " ")))" ;;
        \(cases.joined(separator: "\n"))
            esac
        }

        _bellwire "$@"

        """
    }

    private var descriptions: [String] {
        commands.map { "        \(quoted("\($0.name):\($0.summary)"))" }
            + ["        'help:show this text'"]
    }

    private var cases: [String] {
        commands.map { command in
            let options = command.allOptions.map { option in
                let value = option.value.map { ":\($0):\(action(Completion($0)))" } ?? ""
                return quoted("*--\(option.name)[\(escaped(option.help))]\(value)")
            }
            let lines = (options + places(command)).map { " \\\n                \($0)" }
            return "        \(command.name))\n            _arguments" + lines.joined() + " ;;"
        }
    }

    /// zsh asks by the number of the argument, whatever the action is.
    private func places(_ command: Command) -> [String] {
        let actions = command.actions
        guard !actions.isEmpty else { return [] }
        let first = Completion.words(actions.map(\.name))
        let count = actions.map(\.arguments.count).max() ?? 0
        let others = (0..<count).map { place in
            actions.lazy.filter { place < $0.arguments.count }.map { $0.arguments[place] }
                .first { $0 != .nothing } ?? .nothing
        }
        return ([first] + others).enumerated().map { index, completion in
            quoted("\(index + 1):argument:\(action(completion))")
        }
    }

    private func action(_ completion: Completion) -> String {
        switch completion {
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .nothing: " "
        }
    }

    private func escaped(_ help: String) -> String {
        help.replacing(each: "\\", by: "\\\\").replacing(each: "[", by: "\\[").replacing(
            each: "]", by: "\\]")
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing(each: "'", by: "'\\''") + "'"
    }
}
