/// What a shell can offer for a value. It is read from the placeholder that help shows.
enum Completion: Equatable {
    case files
    case folders
    case words([String])
    /// A name, a number, a text: nothing to offer.
    case nothing

    init(_ placeholder: some StringProtocol) {
        switch placeholder {
        case "FILE": self = .files
        case "FOLDER", "DIR": self = .folders
        case _ where Self.isLiteral(placeholder):
            self = .words(placeholder.split(separator: "|").map { String($0) })
        default: self = .nothing
        }
    }

    /// Words in small letters are typed as they are.
    private static func isLiteral(_ word: some StringProtocol) -> Bool {
        word.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "|")
        } && word.utf8.first != UInt8(ascii: "-")
    }
}

extension Command {
    /// The first word after the command's name, such as `add` in `device add NAME`, and what
    /// follows it.
    struct Action {
        let name: String
        let arguments: [Completion]
    }

    var actions: [Action] {
        forms.compactMap { form in
            let words = form.split(separator: " ")
            guard let name = words.first, case .words(let names) = Completion(name) else {
                return nil
            }
            return Action(
                name: names.joined(), arguments: words.dropFirst().map { Completion($0) })
        }
    }
}

/// Completions for bash, without the functions of the package bash-completion.
struct BashCompletion {
    private let commands: [Command]

    init(_ commands: [Command]) { self.commands = commands }

    var text: String {
        """
        # Completions of bellwire for bash.

        # Sets how to complete the value of an option; fails if it takes none.
        _bellwire_value() {
            how=()
            case "$1 $2" in
        \(values.joined(separator: "\n"))
                *) return 1 ;;
            esac
        }

        # Sets how to complete an argument: the command, its action and the number of the argument.
        _bellwire_argument() {
            how=()
            case "$1 $2 $3" in
        \(arguments.joined(separator: "\n"))
            esac
        }

        _bellwire_options() {
            case $1 in
        \(options.joined(separator: "\n"))
            esac
        }

        _bellwire() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
            local command=${COMP_WORDS[1]} how=() action='' place=1 at
            COMPREPLY=()
            # For bash "=" is a word.
            [ "$word" = = ] && word=
            [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
            if [ "$COMP_CWORD" -eq 1 ]; then
                how=(-W '\(commands.map(\.name).joined(separator: " ")) help')
            elif _bellwire_value "$command" "$before"; then
                :
            elif [ "${word:0:1}" = - ]; then
                how=(-W "$(_bellwire_options "$command")")
            else
                for ((at = 2; at < COMP_CWORD; at++)); do
                    if _bellwire_value "$command" "${COMP_WORDS[at]}"; then
                        [ "${COMP_WORDS[at + 1]}" = = ] && at=$((at + 1))
                        at=$((at + 1))
                    elif [ "${COMP_WORDS[at]:0:1}" != - ]; then
                        [ "$place" -eq 1 ] && action=${COMP_WORDS[at]}
                        place=$((place + 1))
                    fi
                done
                _bellwire_argument "$command" "$action" "$place"
            fi
            [ ${#how[@]} -gt 0 ] || return 0
            [ "${how[0]}" = -W ] || compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen "${how[@]}" -- "$word")
        }

        complete -F _bellwire bellwire

        """
    }

    private var values: [String] {
        commands.flatMap { command in
            command.options.compactMap { option in
                option.value.map { line("\(command.name) --\(option.name)", Completion($0)) }
            }
        }
    }

    private var arguments: [String] {
        let help = line("help  1", .words(commands.map(\.name)))
        return [help]
            + commands.flatMap { command in
                let actions = command.actions
                guard !actions.isEmpty else { return [String]() }
                return [line("\(command.name)  1", .words(actions.map(\.name)))]
                    + actions.flatMap { action in
                        action.arguments.enumerated().filter { $1 != .nothing }.map {
                            line("\(command.name) \(action.name) \($0 + 2)", $1)
                        }
                    }
            }
    }

    private var options: [String] {
        commands.map { command in
            let names = command.allOptions.map { "--" + $0.name }
            return "        \(command.name)) echo '\(names.joined(separator: " "))' ;;"
        }
    }

    private func line(_ pattern: String, _ completion: Completion) -> String {
        let how =
            switch completion {
            case .files: "-f"
            case .folders: "-d"
            case .words(let words): "-W '\(words.joined(separator: " "))'"
            case .nothing: ""
            }
        return "        '\(pattern)') how=(\(how)) ;;"
    }
}
