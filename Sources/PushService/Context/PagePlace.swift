package import WebPush

/// Where the status page is.
package enum PagePlace: Equatable, Sendable {
    /// The configuration says that there is none.
    case off
    /// The service lies under a path of a site. Other pages of that site share its origin, so they
    /// could use a visitor's session.
    case sharedSite
    /// At the origin of base-url, and at the server's other names.
    case usual(Origin)
    /// Only at this origin.
    case own(Origin)

    /// The beginning of its addresses; nil if it is nowhere.
    package var origin: Origin? {
        switch self {
        case .off, .sharedSite: nil
        case .usual(let origin), .own(let origin): origin
        }
    }
}
