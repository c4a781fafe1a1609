/// A message of the log that no store follows: what came before the first one is only in a copy of
/// the store, and after the last one nothing comes.
enum LogBoundary: Equatable {
    /// A store was brought here from one machine. The mark tells which one.
    case begin(mark: String)
    /// This node took the store with it, and the log has ended.
    case end(node: String)

    static let name = "Bellwire-Boundary"

    var text: String {
        switch self {
        case .begin(let mark): "begin \(mark)"
        case .end(let node): "end \(node)"
        }
    }

    init?(_ message: NatsMessage) {
        guard let text = message[Self.name] else { return nil }
        if text.hasPrefix("begin ") {
            self = .begin(mark: String(text.dropFirst(6)))
        } else if text.hasPrefix("end ") {
            self = .end(node: String(text.dropFirst(4)))
        } else {
            return nil
        }
    }
}
