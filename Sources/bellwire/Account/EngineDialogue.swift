import Base
import Notifications
import System
import WebPush

/// Sends single requests to the engine of an account over the control socket. It connects as a
/// viewer, so what waits for the application stays there.
struct EngineDialogue {
    private static let lineLimit = 64 << 20
    private static let mark = EngineRequest.Mark.word("answer")

    let control: ControlConnection
    let account: AccountName

    /// Returns the answer and skips updates.
    func ask(_ request: EngineRequest) throws -> JSONNode {
        var stream = try control.stream(lineLimit: Self.lineLimit)
        let opening = EngineRequest.open(account).json
        let lines = Array("\(opening)\n\(request.json(marked: Self.mark))\n".utf8)
        // A broken connection is treated like a closed one.
        _ = try? stream.write(lines.span)
        var isOpen = false
        while case .bytes(let line)? = try? stream.next() {
            guard let answer = try? JSONDocument(line).root else { break }
            if isOpen, EngineRequest.Mark(answer: answer) != Self.mark { continue }
            if let error = EngineError(answer) { throw Self.refusal(error) }
            if isOpen { return answer }
            isOpen = true
        }
        throw CommandError.unavailable("the server closed the connection", hint: "try again")
    }

    private static func refusal(_ error: EngineError) -> CommandError {
        CommandError(
            message: Printable.text(error.message.isEmpty ? "the server refused" : error.message),
            exitCode: error.isTemporary ? .unavailable : .refused)
    }
}

extension AccountName {
    /// All accounts of the server, or the named one: `APP/ACCOUNT`, or only the account. If several
    /// applications have it, the topic of that name is meant.
    static func all(
        _ control: ControlConnection, named name: String? = nil
    ) throws -> [AccountName] {
        let known = Set(try RegistrationsPath.list(control).map(\.name))
        guard !known.isEmpty else {
            throw CommandError.refused(
                "there is no registration", hint: "see bellwire register --help")
        }
        guard let name else { return known.sorted() }
        let exact = known.filter { $0.full == name }
        let topics = known.filter { "\($0)" == name }
        let found = [exact, topics].first { !$0.isEmpty } ?? known.filter { $0.account == name }
        switch found.count {
        case 1: return Array(found)
        case 0:
            throw CommandError.refused("there is no account \(name)", hint: RegistrationsPath.hint)
        default:
            throw CommandError.usage(
                "several applications have the account \(name)",
                hint: "name one of them: "
                    + found.sorted().map(\.full).joined(separator: ", "))
        }
    }
}
