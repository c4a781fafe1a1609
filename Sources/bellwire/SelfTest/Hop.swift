/// The steps of a message, in the order in which `bellwire test` checks them.
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
    case screen
    case addresses

    /// The step's name in the output.
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
        case .end: "unsubscription"
        case .desktop: "D-Bus"
        case .application: "application"
        case .screen: "screen"
        case .addresses: "addresses"
        }
    }
}

/// The result of one step.
struct HopResult: Equatable {
    let hop: Hop
    /// Nil: the step does not exist here.
    let isPassed: Bool?
    /// What the test observed.
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
