extension IPAddress {
    /// What one client has for itself: an address of version 4, or the /64 of one of version 6.
    package var network: UInt64 { v4.map(UInt64.init) ?? high }
}
