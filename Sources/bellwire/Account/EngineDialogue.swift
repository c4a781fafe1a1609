import Base
import System

/// Sends single requests to the engine of an account over the control socket. It connects as a
/// viewer, so what waits for the application stays there.
struct EngineDialogue {
    private static let lineLimit = 64 << 20
    private static let mark = "answer"

    let control: ControlConnection
    let account: AccountName

    /// Returns the answer and skips updates.
    func ask(_ request: StaticString, _ members: (inout JSONWriter) -> Void = { _ in }) throws
        -> JSONNode
    {
        var stream = try control.stream(lineLimit: Self.lineLimit)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "bellwire.open")
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.member("role", "viewer")
        }
        let opening = writer.text
        writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "\(request)")
            members(&writer)
            writer.member("@extra", Self.mark)
        }
        let lines = Array("\(opening)\n\(writer.text)\n".utf8)
        // A broken connection is treated like a closed one.
        _ = try? stream.write(lines.span)
        var isOpen = false
        while case .bytes(let line)? = try? stream.next() {
            guard let answer = try? JSONDocument(line).root else { break }
            if isOpen, answer["@extra"]?.text != Self.mark { continue }
            if answer["@type"]?.text == "error" { throw Self.refusal(answer) }
            if isOpen { return answer }
            isOpen = true
        }
        throw CommandError(
            message: "the server closed the connection", hint: "try again",
            exitCode: .unavailable)
    }

    private static func refusal(_ answer: JSONNode) -> CommandError {
        let code = answer["code"]?.integer ?? 0
        return CommandError(
            message: Printable.text(answer["message"]?.text ?? "the server refused"),
            exitCode: code == 429 || code >= 500 ? .unavailable : .refused)
    }
}

extension AccountName {
    /// The name in an answer of the server.
    init(_ node: JSONNode) {
        self.init(app: node["app"]?.text ?? "", account: node["account"]?.text ?? "")
    }

    /// All accounts of the server, or the named one: `APP/ACCOUNT`, or only the account. If several
    /// applications have it, the topic of that name is meant.
    static func all(
        _ control: ControlConnection, named name: String? = nil
    ) throws -> [AccountName] {
        let known = Set(try RegistrationsPath.list(control).map { AccountName($0) })
        guard !known.isEmpty else {
            throw CommandError(
                message: "there is no registration", hint: "see bellwire register --help",
                exitCode: .refused)
        }
        guard let name else { return known.sorted() }
        let exact = known.filter { $0.full == name }
        let topics = known.filter { "\($0)" == name }
        let found = [exact, topics].first { !$0.isEmpty } ?? known.filter { $0.account == name }
        switch found.count {
        case 1: return Array(found)
        case 0:
            throw CommandError(
                message: "there is no account \(name)",
                hint: RegistrationsPath.hint,
                exitCode: .refused)
        default:
            throw CommandError.usage(
                "several applications have the account \(name)",
                hint: "name one of them: "
                    + found.sorted().map(\.full).joined(separator: ", "))
        }
    }
}
