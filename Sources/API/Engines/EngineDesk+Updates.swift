import Base
import Mailbox
import Notifications

/// Updates of engines, on their way to the clients.
extension EngineDesk: StoreListener {
    func receive(_ news: [EngineNews]) {
        loop.post { for item in news { self.handle(item) } }
    }

    /// Every client starts over, because the store may have kept changes without reporting them.
    func storeReturned() {
        loop.post {
            for (engine, table) in self.tables {
                for (number, joined) in table.clients where joined.isWelcome {
                    joined.startOver()
                    self.submitJoin(EngineClientID(engine: engine, number: number), joined.role)
                }
            }
        }
    }

    private static let ended = Outcome.error(
        code: 404, message: "Not Found: the account has no registration any more")

    private func handle(_ news: EngineNews) {
        let engine = news.engine
        guard let table = tables[engine] else { return }
        switch news.content {
        case .updates(let updates): send(Self.texts(updates), to: table)
        case .answer(let answer, let client): table.clients[client]?.answer(answer)
        case .owed(let updates, let last, let hasFetchers):
            send(EncodedUpdate.all(updates), through: last, hasFetchers, engine, table)
        case .encoded(let updates, let last, let hasFetchers):
            send(updates, through: last, hasFetchers, engine, table)
        case .welcome(let updates, let last, let client):
            guard let joined = table.clients[client] else { return }
            joined.welcome(Self.texts(updates))
            if joined.role.isFetcher {
                recordHeard(EncodedUpdate.all(updates), through: last, engine)
            }
        case .signal(let handed):
            let isHeard = send(Self.texts(of: handed), to: table) {
                $0.role.isFetcher == handed.hasFetchers
            }
            guard isHeard, handed.hasFetchers else { return }
            dialogue.submit(
                .engine(.confirm(handed.signal.id, device: handed.device, engine: engine))
            ) { _ in }
        case .deadline(let deadline): setTimer(deadline, engine)
        case .ended:
            for joined in table.clients.values {
                joined.client.send([Self.ended.answer()])
                joined.client.end()
            }
        case .isCutOff: for joined in table.clients.values { joined.client.sendAway() }
        }
    }

    private func send(_ objects: [[UInt8]], to table: Table) {
        for joined in table.clients.values where joined.isWelcome { joined.client.send(objects) }
    }

    /// Returns whether any client received it.
    private func send(
        _ objects: [[UInt8]], to table: Table, where isMeant: (JoinedClient) -> Bool
    ) -> Bool {
        let clients = table.clients.values.filter { $0.isWelcome && isMeant($0) }
        for joined in clients { joined.client.send(objects) }
        return !clients.isEmpty
    }

    /// The user's actions go to fetchers, or to viewers if there are none. Raw payloads go to
    /// clients that asked for them.
    private func send(
        _ updates: [EncodedUpdate], through last: Int64?, _ hasFetchers: Bool, _ engine: UInt32,
        _ table: Table
    ) {
        var isHeard = false
        for joined in table.clients.values where joined.isWelcome {
            let isFetcher = joined.role.isFetcher
            isHeard = isHeard || isFetcher
            joined.client.send(
                updates.compactMap { update in
                    switch update.audience {
                    case .actors: isFetcher == hasFetchers ? update.text : nil
                    case .rawFetchers: isFetcher && joined.role.takesRaw == true ? update.text : nil
                    case .everybody: update.text
                    }
                })
        }
        if isHeard, let last { recordHeard(updates, through: last, engine) }
    }

    /// An update that only informs is done once one client received it.
    private func recordHeard(_ updates: [EncodedUpdate], through last: Int64, _ engine: UInt32) {
        guard updates.contains(where: \.isNotice) else { return }
        dialogue.submit(.engine(.heard(through: last, engine: engine))) { _ in }
    }

    private static func texts(_ updates: [Update]) -> [[UInt8]] {
        EncodedUpdate.all(updates).map(\.text)
    }

    private static func texts(of handed: EngineNews.HandedSignal) -> [[UInt8]] {
        var notice = FetchNotice()
        let id = handed.signal.id.bytes
        notice.id = Base64URL.text(id.span)
        notice.registration = handed.registration.text
        notice.count = Int64(handed.count)
        notice.version = handed.signal.version.map { "\($0)" }
        notice.service = handed.service
        return texts([notice.signal])
    }
}
