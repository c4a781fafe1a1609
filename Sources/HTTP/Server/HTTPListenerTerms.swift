package import Base
package import TLS

/// What is declared of one listener; nothing of it is ever detected from what a client sends.
package struct HTTPListenerTerms: Sendable {
    /// Nil serves in clear.
    package var certificates: CertificateStore?
    /// Each connection begins with a header of the PROXY protocol.
    package var usesProxyProtocol = false
    /// Proxies whose word about their clients is taken. On a Unix socket, where the peer has no
    /// address, any entry makes the peer one of them.
    package var trustedProxies: [IPAddress] = []

    /// Nobody is meant but programs on this machine, and no proxy stands in front.
    package var isForThisMachine = false

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
