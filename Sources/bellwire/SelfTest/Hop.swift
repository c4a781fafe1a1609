/// The stations of a message, in the order in which `bellwire test` comes by.
enum Hop: String {
    case name
    case connection
    case link
    case endpoint
    case push
    case delivery
    case store
    case redelivery
    case end
    case desktop
    case application

    /// What the report calls it.
    var title: String {
        switch self {
        case .name: "DNS"
        case .connection: "TLS and proxy"
        case .link: "link"
        case .endpoint: "endpoint"
        case .push: "push"
        case .delivery: "delivery"
        case .store: "store"
        case .redelivery: "later delivery"
        case .end: "end of it"
        case .desktop: "D-Bus"
        case .application: "application"
        }
    }
}

/// How one station was found.
struct HopResult: Equatable {
    let hop: Hop
    /// Nil: there is no such station here.
    let isPassed: Bool?
    /// What was seen.
    let finding: String
    /// What to change.
    let advice: String?

    static func passed(_ hop: Hop, _ finding: String) -> HopResult {
        HopResult(hop: hop, isPassed: true, finding: finding, advice: nil)
    }

    static func skipped(_ hop: Hop, _ finding: String) -> HopResult {
        HopResult(hop: hop, isPassed: nil, finding: finding, advice: nil)
    }

    static func failed(_ hop: Hop, _ finding: String, advice: String) -> HopResult {
        HopResult(hop: hop, isPassed: false, finding: finding, advice: advice)
    }
}
