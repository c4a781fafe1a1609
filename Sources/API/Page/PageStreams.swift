import HTTP
import Mailbox
import PushService
import System

/// Tells the open pages of one loop that something is new, so that they ask for it.
///
/// While nothing happens, nothing is done for them. Only its loop uses it: other threads use
/// `loop.post`.
// Unchecked: it is used only on the loop's thread.
final class PageStreams: @unchecked Sendable {
    private static let terms = HTTPStreamTerms(congestion: 1, outputLimit: 4_096)
    /// What the script's `EventSource` reads: how soon it may come again, and an event.
    private static let (start, event) = (
        Array("retry: 2000\n\n".utf8), Array("data: new\n\n".utf8)
    )

    /// More pages of one session ask now and then.
    private static let limitOfSession = 16

    private let service: ServiceState
    private let loop: EventLoop
    private let login: PageLogin
    private let sessions: SessionRegister
    @exclusivity(unchecked) private var streams = Gatherings<UInt32, PageStream>()

    init(_ service: ServiceState, _ login: PageLogin, on loop: EventLoop) {
        (self.service, self.login, self.loop) = (service, login, loop)
        sessions = service.sessions(on: loop)
        login.listen { [weak self] in
            guard let self else { return }
            loop.post { self.endOldSessions() }
        }
    }

    /// Answers with a stream that says when something happens to topics of this owner.
    func open(_ exchange: HTTPExchange, _ session: PageLogin.Session, of owner: UInt32) {
        // It may have ended while the store was asked.
        guard login.isOpen(session) else { return exchange.show(error: 401) }
        let pages = streams.members(of: owner).count { $0.session.name == session.name }
        guard pages < Self.limitOfSession else { return exchange.show(error: 429) }
        let reader = PageStream(session, of: owner, at: self)
        guard exchange.open(Self.terms, to: reader) else { return }
        reader.write(Self.start)
        sessions.enter(reader, with: session.visitor.pass)
        if streams.add(reader, to: owner) { service.index.topics.listen(self, to: owner) }
    }

    fileprivate func leave(_ reader: PageStream) {
        sessions.leave(reader, with: reader.session.visitor.pass)
        guard streams.remove(reader, from: reader.owner) else { return }
        service.index.topics.stopListening(self, to: reader.owner)
    }

    private func endOldSessions() {
        for reader in streams.all where !login.isOpen(reader.session) { reader.end() }
    }

    private func tell(_ owner: UInt32) {
        for reader in streams.members(of: owner) {
            guard login.isOpen(reader.session) else {
                reader.end()
                continue
            }
            reader.write(Self.event)
        }
    }
}

extension PageStreams: StoreListener {
    func receive(_ news: [TopicNews]) {
        let owners = Set(news.map(\.owner))
        loop.post { for owner in owners { self.tell(owner) } }
    }

    func storeReturned() {
        loop.post { for owner in self.streams.keys { self.tell(owner) } }
    }
}

/// An open page. Only the loop of its streams uses it.
final class PageStream {
    let session: PageLogin.Session
    let owner: UInt32
    private let streams: PageStreams
    @exclusivity(unchecked) fileprivate var stream: HTTPStream?

    init(_ session: PageLogin.Session, of owner: UInt32, at streams: PageStreams) {
        (self.session, self.owner, self.streams) = (session, owner, streams)
    }

    /// A page that has not taken the last event yet will see all that is new.
    func write(_ event: [UInt8]) {
        if let stream, !stream.isCongested { stream.write(event.span) }
    }

    func end() {
        let stream = stream.take()
        streams.leave(self)
        stream?.end()
    }
}

extension PageStream: HTTPStreamHandler, PassHolder {
    func closed(_ stream: HTTPStream) {
        self.stream = nil
        streams.leave(self)
    }

    func passEnded() { end() }
}

extension HTTPExchange {
    /// False if nobody is there.
    fileprivate func open(_ terms: HTTPStreamTerms, to page: PageStream) -> Bool {
        var head = pageHead(200)
        head.fields.append("Content-Type", "text/event-stream")
        head.fields.append("Cache-Control", "no-store")
        // nginx would keep events back.
        head.fields.append("X-Accel-Buffering", "no")
        page.stream = stream(consume head, terms, to: page)
        return page.stream != nil
    }
}
