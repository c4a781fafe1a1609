/// What a listener opens to whom, in words that need no others.
package struct Entrance: Equatable, Sendable {
    package let place: String
    /// Who can connect, and who of them may subscribe.
    package let sentence: String
    /// Whether people may subscribe whom nobody on this machine knows.
    package let isOpenToStrangers: Bool

    package init(_ listener: ListenAddress, _ registration: RegistrationMode, _ baseURL: BaseURL?) {
        let publicURL = baseURL.flatMap { $0.origin.isLoopback ? nil : $0 }
        let isForThisMachine = listener.isForThisMachine && publicURL == nil
        place = listener.description
        isOpenToStrangers = registration == .open && !isForThisMachine
        let who = Self.visitors(of: listener, publicURL)
        let may =
            switch registration {
            case .token: "only devices that were added by bellwire device add may subscribe"
            case .open where isForThisMachine: "all of them may subscribe without a credential"
            case .open: "EVERYBODY may subscribe without a credential"
            }
        sentence = "\(who) can connect, and \(may)"
    }

    private static func visitors(of listener: ListenAddress, _ publicURL: BaseURL?) -> String {
        if !listener.isLocal { return "everybody who reaches this address over the network" }
        if listener.hasProxies { return "everybody who reaches the proxy in front" }
        let locals =
            if case .unix = listener.endpoint {
                "programs on this machine that may enter the folder of this socket"
            } else {
                "programs on this machine"
            }
        return publicURL.map { "\(locals), and whoever they let through from \($0)," } ?? locals
    }
}

extension ServerConfiguration {
    /// Of all listeners, as far as can be told before they are open.
    package var entrances: [Entrance] {
        listeners.map { Entrance($0, registration, expectedBaseURL) }
    }

    /// The same for the other two.
    package var controlSentence: String {
        let others =
            allowsLocalUsers
            ? "other users of this machine may have devices of their own"
            : "other users of this machine may do nothing"
        return "root and the user of the service administer, and \(others)"
    }

    package var metricsSentence: String {
        metricsTokenFile == nil
            ? "all programs on this machine may read metrics"
            : "whoever sends the token may read metrics"
    }
}
