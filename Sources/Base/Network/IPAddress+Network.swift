extension IPAddress {
    /// The network of one client: an IPv4 address, or the /64 of an IPv6 address.
    package var network: UInt64 { v4.map(UInt64.init) ?? high }
}
