package import Base

/// The receivers of a session, and the accounts whose notifications it shows.
package struct DesktopTerms: Sendable {
    let receivers: [ReceiverAddress]
    /// The engines to show. Of several with the same source, only the first is kept.
    let engines: [PresentedEngine]
    /// What notifications say by themselves is said in this language.
    let language: Language

    package init(
        _ receivers: [ReceiverAddress], language: Language
    ) throws(DesktopService.Failure) {
        self.language = language
        var engines: [PresentedEngine] = []
        for receiver in receivers {
            for account in receiver.accounts {
                let address = EngineAddress(
                    device: receiver.text, app: account.app, account: account.account)
                guard var address else {
                    throw DesktopService.Failure.noCredential(receiver.url.host)
                }
                address.place = receiver.place
                let source = account.source(at: receiver.url.host)
                if engines.contains(where: { $0.source.id == source.id }) { continue }
                engines.append(PresentedEngine(source: source, address: address))
            }
        }
        self.receivers = receivers
        self.engines = engines
    }

    var sources: [PresentedSource] { engines.map(\.source) }
}
