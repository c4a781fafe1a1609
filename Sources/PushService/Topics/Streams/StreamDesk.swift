import Base
import Crypto
import HTTP
import Mailbox
import System
import Topics

/// Feeds the streams of one loop with what the store has committed.
///
/// It listens once for each owner, and its one timer serves all streams. Only its loop uses it:
/// other threads use `loop.post`.
// Unchecked: it is used only on the loop's thread.
final class StreamDesk: @unchecked Sendable {
    /// How long a reader waits for what other nodes may have stored.
    static let patience = Interval(.seconds(2))
    private static let pause = Interval(.milliseconds(250))
    private static let second = Interval(.seconds(1))
    private static let againCookie: UInt64 = 1
    /// A page of the longest messages, in JSON.
    private static let outputLimit = 16 << 20

    let service: ServiceState
    let desk: DeliveryDesk
    private let door: TopicDoor
    let terms = HTTPStreamTerms(outputLimit: StreamDesk.outputLimit)
    let socketTerms: WebSocketTerms
    @exclusivity(unchecked) private var owners: [UInt32: StreamOwner] = [:]
    @exclusivity(unchecked) private var turns: KeepaliveTurns
    @exclusivity(unchecked) private var texts = StreamTexts()
    @exclusivity(unchecked) private var actions: [StreamAction] = []
    @exclusivity(unchecked) private var attempts: [(StreamDesk) -> Void] = []
    @exclusivity(unchecked) private var isTicking = false
    /// What readers get next who have not taken their last page.
    @exclusivity(unchecked) private var postponed: [ObjectIdentifier: StreamPageRequest] = [:]

    init(_ service: ServiceState, _ desk: DeliveryDesk, _ door: TopicDoor) {
        self.door = door
        self.service = service
        self.desk = desk
        let silence = service.settings.streamSilence
        turns = KeepaliveTurns(every: silence)
        socketTerms = WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: 64, silence: .seconds(silence), pongPatience: .seconds(15)),
            outputLimit: Self.outputLimit)
        service.index.endings.listen { [weak self] endings in
            guard !endings.devices.isEmpty || !endings.unnamed.isEmpty, let self else { return }
            loop.post {
                self.end(endings.devices)
                self.endSecretReaders(of: endings.unnamed)
            }
        }
    }

    private var loop: EventLoop { desk.loop }
    var now: Int64 { Int64(service.now()) }
    var isCurrent: Bool { service.store.isCurrent }

    func mayBeElsewhere(_ id: TopicMessageID) -> Bool { service.index.mayBeElsewhere(id) }

    /// Nil if there are no random numbers.
    func makeID() -> TopicMessageID? {
        (try? desk.random.word()).map { TopicMessageID(number: $0) }
    }

    /// Memory that all streams share.
    func lendActions() -> [StreamAction] {
        var lent: [StreamAction] = []
        swap(&lent, &actions)
        return lent
    }

    func takeBack(_ lent: inout [StreamAction]) {
        lent.removeAll(keepingCapacity: lent.capacity <= 512)
        swap(&lent, &actions)
    }
}

/// Streams come and go.
extension StreamDesk {
    /// The stream ends from now on with the right of its reader. Call this in the turn in which the
    /// right was seen.
    func admit(_ stream: TopicStream) { desk.sessions.enter(stream, with: stream.pass) }

    /// The stream hears from now on what comes to these topics of an owner.
    func join(_ stream: TopicStream, _ list: String, _ names: [UInt32: TopicName], of row: UInt32) {
        let owner = owner(row)
        owner.join(stream, .named(list, names))
        begin(stream, owner)
    }

    /// The stream hears from now on what comes to all topics of an owner that a token opens, also to
    /// later ones.
    func joinAll(_ stream: TopicStream, matching pattern: TopicPattern?, of name: String) {
        desk.list(.owners) { [self] answer in
            guard case .owners(let owners) = answer, !stream.isEnded,
                let row = owners.first(where: { $0.name == name })?.row
            else { return stream.refuse(.failed) }
            let owner = owner(row)
            owner.join(stream, .all(pattern))
            desk.list(.registration(.all(owner: name))) { [self] answer in
                guard case .registration(.all(let registrations)) = answer,
                    let group = stream.group
                else { return stream.refuse(.failed) }
                for registration in registrations { follow(registration, group, of: owner) }
                begin(stream, owner)
            }
        }
    }

    private func begin(_ stream: TopicStream, _ owner: StreamOwner) {
        if !stream.beginsWithNewest {
            stream.begin(after: 0)
        } else if owner.isNewestKnown {
            stream.begin(after: owner.newest)
        } else {
            owner.waiting.append(stream)
            ask(owner)
        }
    }

    private func owner(_ row: UInt32) -> StreamOwner {
        if let known = owners[row] { return known }
        let made = StreamOwner(row)
        owners[row] = made
        service.index.topics.listen(self, to: row)
        return made
    }

    func leave(_ stream: TopicStream) {
        desk.sessions.leave(stream, with: stream.pass)
        turns.remove(stream)
        postponed[ObjectIdentifier(stream)] = nil
        guard let owner = stream.group?.owner else { return }
        owner.leave(stream)
        guard owner.isIdle else { return }
        service.index.topics.stopListening(self, to: owner.row)
        owners[owner.row] = nil
    }

    /// Topics that have ended are not made again while their readers wait for them.
    private func end(_ devices: [UInt32]) {
        for device in devices {
            for owner in owners.values {
                for stream in owner.forget(device) { stream.end() }
            }
        }
    }

    /// One of the topics' names leads nowhere any more. Who read by another one comes again.
    private func endSecretReaders(of devices: [UInt32]) {
        for device in devices {
            for group in owners.values.flatMap({ $0.followers(of: device) })
            where group.names[device]?.text.hasPrefix(TopicName.secretPrefix) == true {
                for stream in group.streams { stream.end() }
            }
        }
    }

    /// From now on the stream says now and then that it lives.
    func remind(_ stream: TopicStream) {
        turns.add(stream, at: seconds)
        tick()
    }
}

/// What the store says.
extension StreamDesk: StoreListener {
    func receive(_ news: [TopicNews]) {
        loop.post {
            for item in news { self.handle(item) }
            self.texts.forget()
        }
    }

    /// Something may have been committed without being told. Streams of all topics begin anew, because
    /// it may have come to a topic of which they have not heard.
    func storeReturned() {
        loop.post {
            for owner in self.owners.values {
                for group in owner.wide { for stream in group.streams { stream.end() } }
                owner.isNewestKnown = false
                if !owner.isIdle { self.ask(owner) }
            }
        }
    }

    private func handle(_ news: TopicNews) {
        guard let owner = owners[news.owner] else { return }
        owner.newest = max(owner.newest, news.position)
        for group in owner.wide where group.names[news.device] == nil {
            name(news.device, for: group, of: owner)
        }
        for group in owner.followers(of: news.device) { tell(news, to: group) }
    }

    private func tell(_ news: TopicNews, to group: StreamGroup) {
        guard group.unnamed.isEmpty else { return }
        guard let message = news.message, let name = group.names[news.device] else {
            for stream in group.streams { stream.heard(of: news.position) }
            return
        }
        let placed = PlacedMessage(message, in: name, at: news.isKept ? news.position : nil)
        for stream in group.streams { stream.heard(placed) }
    }

    func text(of message: PlacedMessage, for stream: TopicStream) -> [UInt8] {
        guard let group = stream.group else { return [] }
        // What offers answers is for one reader.
        if let reader = stream.answerer, case .ntfy(let form) = stream.form,
            let offer = door.offer(of: message.message, to: reader)
        {
            return form.message(PlacedMessage(offer, in: message.topic, at: message.position))
        }
        return texts.text(
            of: message, as: stream.form, in: group, position: group.owner.newest)
    }

    /// Something came to a topic that is new to a group of all topics. Until the topic's name is read,
    /// all that comes for the group waits in the store.
    private func name(_ device: UInt32, for group: StreamGroup, of owner: StreamOwner) {
        if let known = service.index.registrations[device]?.registration {
            return follow(known, group, of: owner)
        }
        guard group.unnamed.insert(device).inserted else { return }
        desk.list(.registration(.ofDevice(device))) { [self] answer in
            group.unnamed.remove(device)
            switch answer {
            case .registration(.one(let registration, _)): follow(registration, group, of: owner)
            case .registration: break
            default: return again { $0.name(device, for: group, of: owner) }
            }
            guard group.unnamed.isEmpty else { return }
            for stream in group.streams { stream.heard(of: owner.newest) }
        }
    }

    private func follow(
        _ registration: Registration, _ group: StreamGroup, of owner: StreamOwner
    ) {
        guard let name = registration.terms.topicName, group.covers(name), !name.isUnifiedPush,
            !group.streams.isEmpty
        else { return }
        group.applications[name] = (Int64(registration.device), registration.title)
        owner.follow(registration.device, name, group)
    }

    private func ask(_ owner: StreamOwner) {
        guard !owner.isAsking else { return }
        owner.isAsking = true
        desk.list(.topic(.newest(owner: owner.row))) { [self] answer in
            owner.isAsking = false
            guard case .topic(.newest(let newest)) = answer else { return failed(owner) }
            owner.newest = max(owner.newest, newest)
            owner.isNewestKnown = true
            for stream in owner.streams { stream.heard(of: owner.newest) }
            let waiting = owner.waiting
            owner.waiting = []
            for stream in waiting { stream.begin(after: owner.newest) }
        }
    }

    private func failed(_ owner: StreamOwner) {
        for stream in owner.waiting { stream.refuse(.failed) }
        if !owner.isIdle { again { $0.ask(owner) } }
    }

    func postpone(_ request: StreamPageRequest, for stream: TopicStream) {
        postponed[ObjectIdentifier(stream)] = request
    }

    func goOn(_ stream: TopicStream) {
        if let request = postponed.removeValue(forKey: ObjectIdentifier(stream)) {
            read(request, for: stream)
        }
    }

    func read(_ request: StreamPageRequest, for stream: TopicStream) {
        guard let group = stream.group else { return }
        let subscription = TopicSubscription(
            owner: group.owner.row, topics: group.names, wantsScheduled: stream.wantsScheduled,
            isOwners: stream.isOwners)
        desk.list(.topic(.stream(request, subscription))) { [self] answer in
            guard case .topic(.stream(let page)) = answer else { return stream.unreadable() }
            guard stream.group === group else { return }
            if group.isWide {
                guard group.unnamed.isEmpty, group.names.count == subscription.topics.count else {
                    return again { $0.read(request, for: stream) }
                }
                stream.read(page.before(group.owner.newest + 1), of: request)
            } else {
                stream.read(page, of: request)
            }
            texts.forget()
        }
    }
}

extension StreamPage {
    /// Without what is newer than all that the loop has heard of: it may miss what came to a topic of
    /// which the loop has not heard either.
    fileprivate func before(_ end: Int64) -> StreamPage {
        StreamPage(
            messages.filter { $0.position ?? 0 < end }, through: min(through, end - 1), plan: plan)
    }
}

/// Time passes.
extension StreamDesk: TimerHandler {
    private var seconds: Int64 { loop.now.nanoseconds / 1_000_000_000 }

    /// Does something a moment later.
    func again(_ attempt: @escaping (StreamDesk) -> Void) {
        if attempts.isEmpty {
            _ = loop.schedule(after: Self.pause, self, cookie: Self.againCookie)
        }
        attempts.append(attempt)
    }

    private func tick() {
        guard !isTicking else { return }
        isTicking = true
        _ = loop.schedule(after: Self.second, self)
    }

    func timerFired(_ cookie: UInt64) {
        guard cookie != Self.againCookie else {
            var due: [(StreamDesk) -> Void] = []
            swap(&due, &attempts)
            return due.forEach { $0(self) }
        }
        isTicking = false
        for stream in turns.due(at: seconds) { stream.keepaliveDue() }
        if !turns.isEmpty { tick() }
    }
}
