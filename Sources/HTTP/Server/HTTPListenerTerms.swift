package import Base
package import TLS

/// The settings of one listener. None is ever detected from what a client sends.
package struct HTTPListenerTerms: Sendable {
    /// Nil serves without TLS.
    package var certificates: CertificateStore?
    /// Each connection begins with a header of the PROXY protocol.
    package var usesProxyProtocol = false
    /// Proxies that are trusted to name their clients. On a Unix socket, where the peer has no
    /// address, any entry makes the peer a trusted proxy.
    package var trustedProxies: [IPAddress] = []

    /// Only programs on this machine may connect, and there is no proxy in front.
    package var isForThisMachine = false
    /// It accepts no more connections; those that are open go on.
    package internal(set) var isClosed = false

    package init(
        certificates: CertificateStore? = nil, usesProxyProtocol: Bool = false,
        trustedProxies: [IPAddress] = [], isForThisMachine: Bool = false
    ) {
        self.isForThisMachine = isForThisMachine
        self.certificates = certificates
        self.usesProxyProtocol = usesProxyProtocol
        self.trustedProxies = trustedProxies
    }

    func isTrusted(_ address: IPAddress?) -> Bool {
        if let address { trustedProxies.contains(address) } else { !trustedProxies.isEmpty }
    }
}
