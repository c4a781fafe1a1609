import Base
package import Reactor
package import TLS

/// What a client needs to know in order to connect.
package struct WebSocketClientOptions: Sendable, Confidential {
    /// How long each stage may last.
    package struct Patience: Sendable {
        package var lookup = Duration.seconds(15)
        /// For each address.
        package var connect = Duration.seconds(10)
        package var handshake = Duration.seconds(15)
        package var upgrade = Duration.seconds(30)

        package init() {}
    }

    package let url: WebSocketURL
    /// Further fields of the request, such as Authorization.
    package var fields: [(name: String, value: String)] = []
    /// Where to connect, whatever address the name of the host has: the socket of a server that
    /// runs on this machine.
    package var place: SocketAddress?
    package var patience = Patience()
    let terms: WebSocketTerms
    let context: TLSContext
    let random: WebSocketEncoder.MaskingKeys

    /// `context` is a client's and offers HTTP/1.1. `random` gives 32 bits that nobody can foresee;
    /// the subprotocols of `terms` are offered, the first one first.
    package init(
        url: WebSocketURL, terms: WebSocketTerms, context: TLSContext,
        random: @escaping WebSocketEncoder.MaskingKeys
    ) {
        self.url = url
        self.terms = terms
        self.context = context
        self.random = random
    }
}
