/// The sandbox of a program, as far as it can be known.
package enum Sandbox: Equatable, Sendable {
    /// No sandbox: it may do what the user may.
    case none
    case application(String)
    /// Only snapd knows which bus names it may own.
    case snap(String)
    /// It is not known whether there is a sandbox, so the program is trusted no more than a
    /// sandboxed one.
    case unknown

    /// Keeps the tokens of different sandboxes apart.
    var identifier: String {
        switch self {
        case .none: ""
        case .application(let name), .snap(let name): name
        case .unknown: "?"
        }
    }

    /// It may only name itself, whatever names the bus lets it own.
    var speaksForItself: Bool {
        switch self {
        case .none, .application: false
        case .snap, .unknown: true
        }
    }

    /// Whether its messages may go to that name: a sandboxed application may only name its own.
    func allows(_ service: String) -> Bool {
        switch self {
        case .none, .snap, .unknown: true
        case .application(let name): service == name || service.hasPrefix(name + ".")
        }
    }
}
