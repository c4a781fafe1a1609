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
