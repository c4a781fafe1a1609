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

/// What a shell offers for the last of the words that were typed: a line for each word, with a tab and
/// what it means, or one line that asks for files.
struct Offer {
    private let commands: [Command]

    init(_ commands: [Command]) { self.commands = commands }

    func text(_ typed: [String]) -> String {
        // For bash "=" is a word.
        var words = typed.filter { $0 != "=" }
        let word = typed.last == "=" ? "" : words.popLast() ?? ""
        return lines(words, word).filter { $0.hasPrefix(word) || $0.hasPrefix(":") }
            .map { $0 + "\n" }.joined()
    }

    private func lines(_ words: [String], _ word: String) -> [String] {
        let names = commands.map { "\($0.name)\t\($0.summary)" }
        guard let first = words.first else { return names + ["help\tshow this text"] }
        if first == "help" { return words.count == 1 ? names : [] }
        guard let command = commands.first(where: { $0.name == first }) else { return [] }
        if let value = value(of: words.last, command) { return lines(Completion(value)) }
        // Some shells pass an option and its value as one word.
        if let equals = word.firstIndex(of: "="),
            let value = value(of: String(word[..<equals]), command)
        {
            return lines(Completion(value)).map { word[...equals] + $0 }
        }
        let arguments = arguments(words, command)
        if word.hasPrefix("-") {
            let verb = command.verbs.first { $0.name == arguments.first }
            return command.allOptions.filter { verb == nil || $0.isTaken(by: verb) }
                .map { "--\($0.name)\t\($0.help)" }
        }
        guard let name = arguments.first else { return command.actions.map(\.name) }
        let action = command.actions.first { $0.name == name }
        let place = arguments.count - 1
        guard let action, action.arguments.indices.contains(place) else { return [] }
        return lines(action.arguments[place])
    }

    private func value(of word: String?, _ command: Command) -> String? {
        command.options.first { "--\($0.name)" == word }?.value
    }

    /// The words that are neither options nor their values.
    private func arguments(_ words: [String], _ command: Command) -> [String] {
        zip(words, words.dropFirst()).filter { before, word in
            !word.hasPrefix("-") && value(of: before, command) == nil
        }.map(\.1)
    }

    private func lines(_ completion: Completion) -> [String] {
        switch completion {
        case .files: [":files"]
        case .folders: [":folders"]
        case .words(let words): words
        case .nothing: []
        }
    }
}

/// The completions of each shell: all of them ask the program itself.
enum CompletionScript {
    static let bash = """
        # Completions of bellwire for bash.

        _bellwire() {
            local word=${COMP_WORDS[COMP_CWORD]} offered
            # For bash "=" is a word.
            [ "$word" = = ] && word=
            COMPREPLY=()
            while IFS=$'\\t' read -r offered _; do
                case $offered in
                    :files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
                    :folders) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
                    *) COMPREPLY+=("$offered") && continue ;;
                esac
                compopt -o filenames 2> /dev/null
            done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
        }

        complete -F _bellwire bellwire

        """

    static let zsh = """
        #compdef bellwire
        # Completions of bellwire for zsh.

        _bellwire() {
            local line
            local -a lines offered
            lines=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
            case $lines[1] in
                :files) _files ;;
                :folders) _files -/ ;;
                *)
                    for line in $lines; do offered+=(${line/$'\\t'/:}); done
                    _describe bellwire offered ;;
            esac
        }

        _bellwire "$@"

        """

    static let fish = """
        # Completions of bellwire for fish.

        function __bellwire_offer
            set -l words (commandline -opc) (commandline -ct)
            set -l lines ($words[1] complete $words[2..-1] 2> /dev/null)
            switch "$lines[1]"
                case :files
                    __fish_complete_path (commandline -ct)
                case :folders
                    __fish_complete_directories (commandline -ct)
                case '*'
                    printf '%s\\n' $lines
            end
        end

        complete -c bellwire -f -a '(__bellwire_offer)'

        """
}
