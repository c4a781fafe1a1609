package enum BusAddress: Equatable, Sendable {
    /// The bus of the user's session, as the environment names it.
    case session
    case system
    case address(String)
}
