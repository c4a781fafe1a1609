import Base

/// Completions for fish.
struct FishCompletion {
    private let commands: [Command]

    init(_ commands: [Command]) { self.commands = commands }

    var text: String {
        """
        # Completions of bellwire for fish.

        function __bellwire_has_command
            set -l words (commandline -opc)
            test (count $words) -gt 1; and test $words[2] = $argv[1]
        end

        # COMMAND PLACE [ACTION]: whether that argument comes next. Options are not counted.
        function __bellwire_is_at
            __bellwire_has_command $argv[1]; or return
            set -l words (commandline -opc)
            set -l arguments (string match --invert -- '-*' $words[3..-1])
            test (count $arguments) -eq (math $argv[2] - 1); or return
            test (count $argv) -lt 3; or test $arguments[1] = $argv[3]
        end

        complete -c bellwire -f
        \(lines.joined(separator: "\n"))

        """
    }

    private var lines: [String] {
        let first = "'test (count (commandline -opc)) -eq 1'"
        let names = commands.map(\.name)
        return commands.map {
            "complete -c bellwire -n \(first) -a \($0.name) -d \(quoted($0.summary))"
        }
            + ["complete -c bellwire -n \(first) -a help -d 'show this text'"]
            + [argument("help 1", .words(names))]
            + commands.flatMap { options($0) + arguments($0) }
    }

    private func options(_ command: Command) -> [String] {
        command.allOptions.map { option in
            "complete -c bellwire -n '__bellwire_has_command \(command.name)' -l \(option.name)"
                + (option.value.map { " " + offer(Completion($0)) } ?? "")
                + " -d \(quoted(option.help))"
        }
    }

    private func arguments(_ command: Command) -> [String] {
        let actions = command.actions
        guard !actions.isEmpty else { return [] }
        return [argument("\(command.name) 1", .words(actions.map(\.name)))]
            + actions.flatMap { action in
                action.arguments.enumerated().filter { $1 != .nothing }.map {
                    argument("\(command.name) \($0 + 2) \(action.name)", $1)
                }
            }
    }

    private func argument(_ place: String, _ completion: Completion) -> String {
        "complete -c bellwire -n '__bellwire_is_at \(place)' \(offer(completion))"
    }

    private func offer(_ completion: Completion) -> String {
        switch completion {
        case .files: "-r -F"
        case .folders: "-x -a '(__fish_complete_directories (commandline -ct))'"
        case .words(let words): "-x -a \(quoted(words.joined(separator: " ")))"
        case .nothing: "-x"
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing(each: "\\", by: "\\\\").replacing(each: "'", by: "\\'") + "'"
    }
}

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
