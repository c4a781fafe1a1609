import Base
import Mailbox
import Notifications

/// Updates of engines, on their way to the clients.
extension EngineDesk: EngineListener {
    func hear(_ news: [EngineNews]) {
        loop.post { for item in news { self.handle(item) } }
    }

    /// Every client starts over, because the store may have kept changes without reporting them.
    func storeReturned() {
        loop.post {
            for (engine, table) in self.tables {
                for (number, place) in table.places where place.isWelcome {
                    place.startOver()
                    self.submitJoin(EngineClientID(engine: engine, number: number), place.role)
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
        case .updates(let updates): say(Self.texts(updates), to: table)
        case .answer(let answer, let client): table.places[client]?.answer(answer)
        case .owed(let updates, let last, let hasFetchers):
            say(EngineWord.words(updates), through: last, hasFetchers, engine, table)
        case .words(let words, let last, let hasFetchers):
            say(words, through: last, hasFetchers, engine, table)
        case .welcome(let updates, let last, let client):
            guard let place = table.places[client] else { return }
            place.welcome(Self.texts(updates))
            if place.role.isFetcher {
                recordHeard(EngineWord.words(updates), through: last, engine)
            }
        case .signal(let handed):
            let isHeard = say(Self.texts(of: handed), to: table) {
                $0.role.isFetcher == handed.hasFetchers
            }
            guard isHeard, handed.hasFetchers else { return }
            dialogue.submit(
                .engine(.confirm(handed.signal.id, device: handed.device, engine: engine))
            ) { _ in }
        case .deadline(let deadline): setTimer(deadline, engine)
        case .ended:
            for place in table.places.values {
                place.client.say([Self.ended.answer()])
                place.client.end()
            }
        case .isCutOff: for place in table.places.values { place.client.sendAway() }
        }
    }

    private func say(_ objects: [[UInt8]], to table: Table) {
        for place in table.places.values where place.isWelcome { place.client.say(objects) }
    }

    /// Returns whether any client received it.
    private func say(
        _ objects: [[UInt8]], to table: Table, where isMeant: (EnginePlace) -> Bool
    ) -> Bool {
        let places = table.places.values.filter { $0.isWelcome && isMeant($0) }
        for place in places { place.client.say(objects) }
        return !places.isEmpty
    }

    /// The user's actions go to fetchers, or to viewers if there are none. Raw payloads go to
    /// clients that asked for them.
    private func say(
        _ words: [EngineWord], through last: Int64?, _ hasFetchers: Bool, _ engine: UInt32,
        _ table: Table
    ) {
        var isHeard = false
        for place in table.places.values where place.isWelcome {
            let isFetcher = place.role.isFetcher
            isHeard = isHeard || isFetcher
            place.client.say(
                words.compactMap { word in
                    switch word.audience {
                    case .actors: isFetcher == hasFetchers ? word.text : nil
                    case .rawFetchers: isFetcher && place.role.takesRaw == true ? word.text : nil
                    case .everybody: word.text
                    }
                })
        }
        if isHeard, let last { recordHeard(words, through: last, engine) }
    }

    /// An update that only informs is done once one client received it.
    private func recordHeard(_ words: [EngineWord], through last: Int64, _ engine: UInt32) {
        guard words.contains(where: \.isNotice) else { return }
        dialogue.submit(.engine(.heard(through: last, engine: engine))) { _ in }
    }

    private static func texts(_ updates: [Update]) -> [[UInt8]] {
        EngineWord.words(updates).map(\.text)
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
