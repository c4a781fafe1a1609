import Base
import Crypto
import Outbound
package import Pictures
import System

/// Fetches linked pictures, on a loop of its own, and answers on the thread of that.
// Unchecked: mutable state is used only on the loop's thread, or while the loop does not run.
final class PictureFetcher: TimerHandler, @unchecked Sendable {
    typealias Reply = @Sendable (PictureFinding) -> Void

    private static let fields = [("accept", "image/png, image/jpeg")]

    private let group: LoopGroup
    private let loop: EventLoop
    private var settings: CallbackSettings
    private var client: LoopClient
    /// Clients of earlier settings, as long as they have requests under way.
    private var formerClients: [LoopClient] = []
    private var pictures = LinkedPictures()
    private var replies = SlotTable<Reply>()
    private var timer = DeadlineTimer()

    init(for service: ServiceState) throws {
        group = try LoopGroup(count: 1)
        loop = group.loops[0]
        settings = service.settings.callbacks
        client = try LoopClient(on: loop, settings.client)
        service.follow(on: loop) { [weak self] in self?.use($0.callbacks) }
        try group.start(name: "pictures")
    }

    /// `topic` is the topic whose message has the link. Any thread may call it.
    func find(
        _ url: String, of topic: UInt32, ofOwner owner: UInt32, then reply: @escaping Reply
    ) {
        loop.post { self.ask(url, topic, owner, reply) }
    }

    /// Nobody is answered any more.
    func end() {
        group.stop()
        _ = group.join()
        // Requests that end now lead to no others.
        (pictures, replies) = (LinkedPictures(), SlotTable())
        for client in formerClients + [client] { client.close() }
        formerClients = []
    }

    private func use(_ settings: CallbackSettings) {
        self.settings = settings
        pictures.forgetAll()
        // Out of memory: idle connections stay, and new ones follow the new rules.
        guard let client = try? LoopClient(on: loop, settings.client) else { return }
        formerClients.append(self.client)
        self.client = client
        dropIdleClients()
    }

    /// Does not touch a client that may be calling.
    private func dropIdleClients() {
        guard !formerClients.isEmpty else { return }
        loop.post { self.formerClients.removeAll(where: \.isIdle) }
    }

    private var now: Int64 { loop.now.nanoseconds / 1_000_000 }

    private func ask(
        _ url: String, _ topic: UInt32, _ owner: UInt32, _ reply: @escaping Reply
    ) {
        guard let parsed = try? ParsedURL(url, schemes: ["https", "http"]) else {
            return reply(.none)
        }
        let link = LinkedPictures.Link(url: parsed.text, host: parsed.host)
        let ticket = replies.put(reply)
        switch pictures.ask(ticket, for: link, of: topic, ofOwner: owner, at: now) {
        case .known(let picture): replies.remove(ticket)?(PictureFinding(picture))
        case .refused: replies.remove(ticket)?(.later)
        case .awaited: fetchOn()
        }
    }

    private func fetchOn() {
        while let link = pictures.next(at: now) { fetch(link) }
        timer.set(
            after: pictures.nextTime.map { .milliseconds(max($0 - now, 0)) }, on: loop, self)
    }

    func timerFired(_ cookie: UInt64) { fetchOn() }

    private func fetch(_ link: LinkedPictures.Link) {
        do throws(CallbackSettings.Objection) {
            var request = try settings.request(
                to: link.url, for: .anyone, fields: Self.fields, body: nil)
            // One byte more tells that it is too long.
            request.answerLimit = PictureFile.byteLimit + 1
            client.send(request) { [self] result in
                var wasSlow = false
                if case .failure(.timedOut) = result { wasSlow = true }
                ended(link, Self.picture(in: result), wasSlow: wasSlow)
            }
        } catch {
            // Nothing was dialled, but its turn is over like any other.
            loop.post { self.ended(link, nil, wasSlow: false) }
        }
    }

    /// Only a whole answer that is a picture itself counts: no redirect, and no page about one.
    private static func picture(in result: Result<HTTPResponse, RequestFailure>) -> PictureFile? {
        guard case .success(let answer) = result, answer.status == 200 else { return nil }
        return PictureFile(answer.body)
    }

    private func ended(_ link: LinkedPictures.Link, _ picture: PictureFile?, wasSlow: Bool) {
        let tickets = pictures.ended(link, picture, wasSlow: wasSlow, at: now)
        for ticket in tickets { replies.remove(ticket)?(PictureFinding(picture)) }
        dropIdleClients()
        fetchOn()
    }
}

/// The fetcher that all loops share. It is made for the first link, so that who has none needs no
/// thread for it.
package final class SharedPictureFetcher: Sendable {
    private let service: ServiceState
    private let made = Lock<PictureFetcher?>(nil)

    package init(_ service: ServiceState) { self.service = service }

    /// Nil if there are no threads or descriptors for it now. Any thread may use it.
    var fetcher: PictureFetcher? {
        made.withLock { made in
            if made == nil { made = try? PictureFetcher(for: service) }
            return made
        }
    }

    /// Call it when the loops have ended.
    package func close() { made.withLock { $0.take() }?.end() }
}

/// What became of the search for the picture of a message.
package enum PictureFinding: Sendable {
    case picture(PictureFile)
    case none
    /// It is not known now.
    case later

    init(_ picture: PictureFile?) { self = picture.map { .picture($0) } ?? .none }
}
