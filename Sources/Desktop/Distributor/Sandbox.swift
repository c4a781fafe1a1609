/// Where a program runs, as far as it can be told.
package enum Sandbox: Equatable, Sendable {
    /// Outside of any: it may do what the user may.
    case none
    case application(String)
    /// Who it may be on the bus only snapd knows.
    case snap(String)
    /// It cannot be told, so it is trusted no more than any sandboxed one.
    case unknown

    /// Apart from each other, as tokens are kept.
    var identifier: String {
        switch self {
        case .none: ""
        case .application(let name), .snap(let name): name
        case .unknown: "?"
        }
    }

    /// Whether it may name only itself, whatever the bus lets it own.
    var speaksForItself: Bool {
        switch self {
        case .none, .application: false
        case .snap, .unknown: true
        }
    }

    /// Whether it may have messages sent to that name: a sandboxed application only to its own.
    func allows(_ service: String) -> Bool {
        switch self {
        case .none, .snap, .unknown: true
        case .application(let name): service == name || service.hasPrefix(name + ".")
        }
    }
}
