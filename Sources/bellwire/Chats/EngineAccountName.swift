import Base
import Mailbox

/// An account that has a registration, by its name.
struct EngineAccountName: Hashable, Comparable, CustomStringConvertible {
    let app: String
    let account: String

    /// What the user calls it: what `bellwire hear` made has only the name that it was given.
    var description: String { app == RegistrationTerms.scripts ? account : full }

    private var full: String { "\(app)/\(account)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.app, left.account) < (right.app, right.account)
    }

    /// All accounts of the server, or the named one: `APP/ACCOUNT`, or only the account. If several
    /// applications have it, what `bellwire hear` made is meant.
    static func all(
        _ control: ControlConnection, named name: String? = nil
    ) throws -> [EngineAccountName] {
        let answer = try control.send("GET", RegistrationsPath.all)
        let list = (try? JSONDocument(answer))?.root["registrations"]?.elements ?? []
        let known = Set(
            list.map {
                EngineAccountName(app: $0["app"]?.text ?? "", account: $0["account"]?.text ?? "")
            })
        guard !known.isEmpty else {
            throw CommandError(
                message: "there is no registration", hint: "see bellwire register --help",
                exitCode: .refused)
        }
        guard let name else { return known.sorted() }
        let exact = known.filter { $0.full == name }
        let heard = known.filter { "\($0)" == name }
        let found = [exact, heard].first { !$0.isEmpty } ?? known.filter { $0.account == name }
        switch found.count {
        case 1: return Array(found)
        case 0:
            throw CommandError(
                message: "there is no account \(name)",
                hint: "run bellwire list to see all registrations",
                exitCode: .refused)
        default:
            throw CommandError.usage(
                "several applications have the account \(name)",
                hint: "name one of them: "
                    + found.sorted().map(\.full).joined(separator: ", "))
        }
    }
}
