import Base

extension AccountName {
    /// The name in an answer of the server.
    init(_ node: JSONNode) {
        self.init(app: node["app"]?.text ?? "", account: node["account"]?.text ?? "")
    }

    /// All accounts of the server, or the named one: `APP/ACCOUNT`, or only the account. If several
    /// applications have it, what `bellwire hear` made is meant.
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
