/// Which bus to connect to.
package enum BusAddress: Equatable, Sendable {
    /// The one of the user's session, as the environment names it.
    case session
    case system
    case address(String)
}
