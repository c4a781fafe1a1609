import Base
import Crypto
import HTTP
import Pictures
import System

/// Gets the pictures of notifications from the server that has the notifications, a few at a time. The
/// server may have to fetch them first, and may be too busy for that now.
///
/// Only the thread of the loop uses it.
final class PictureLoader: TimerHandler {
    typealias Completion = (Picture?) -> Void
    private typealias Turns = PictureTurns<(name: String, completion: Completion)>

    /// Longer than the server looks for a picture that it has not fetched yet.
    private static let patience = Duration.seconds(60)
    private static let unpacking = Duration.seconds(10)

    private let address: EngineAddress
    private let context: TLSContext
    private let loop: EventLoop
    private let errands: Errands
    private var turns = Turns()
    private var timer = DeadlineTimer()
    private var downloads: [Int: HTTPDownload] = [:]
    private var lastDownload = 0

    init(from address: EngineAddress, trust context: TLSContext, on loop: EventLoop) {
        (self.address, self.context, self.loop) = (address, context, loop)
        errands = Errands(on: loop, limit: Self.unpacking, atMost: Turns.atOnce)
    }

    /// Calls `completion` with nil if there is no picture that can be shown.
    func load(_ name: String, then completion: @escaping Completion) {
        guard turns.add((name, completion)) else { return completion(nil) }
        loadOn()
    }

    func close() {
        turns.forgetAll()
        timer.cancel(on: loop)
        for download in downloads.values { download.cancel() }
    }

    func timerFired(_ cookie: UInt64) { loadOn() }

    private var now: Duration { .nanoseconds(loop.now.nanoseconds) }

    private func loadOn() {
        while let turn = turns.next(at: now) {
            fetch(turn.request.name) { [weak self] outcome in
                self?.ended(turn, outcome)
            }
        }
        timer.set(after: turns.nextTime.map { max($0 - now, .zero) }, on: loop, self)
    }

    /// Only what may pass is asked for again: a server that is too busy, or the limit of a topic.
    private func ended(_ turn: Turns.Turn, _ outcome: HTTPDownload.Outcome) {
        let completion = turn.request.completion
        if case .failure(.refused(let status, let pause)) = outcome, [429, 503].contains(status) {
            let isAskedAgain = turns.wasRefused(
                turn, for: pause, at: now, chance: .random(in: 0..<1))
            if !isAskedAgain { completion(nil) }
            return loadOn()
        }
        unpack(outcome) { [weak self] picture in
            self?.turns.ended()
            completion(picture)
            self?.loadOn()
        }
    }

    private func fetch(
        _ name: String, _ completion: @escaping (HTTPDownload.Outcome) -> Void
    ) {
        guard let url = address.picture(name) else {
            return completion(.failure(.unreadableAnswer))
        }
        var options = HTTPDownloadOptions(ClientRoute(to: url, context))
        options.route.place = address.place
        options.fields = [("Authorization", "Bearer \(address.credential)")]
        options.route.patience.upgrade = Self.patience
        options.bodyLimit = PictureFile.byteLimit
        lastDownload += 1
        let number = lastDownload
        let download = HTTPDownload.begin(options, on: loop) { [weak self] outcome in
            guard let self else { return }
            downloads[number] = nil
            completion(outcome)
        }
        if !download.hasEnded { downloads[number] = download }
    }

    /// A few bytes can take long to unpack, so another thread does that.
    private func unpack(_ outcome: HTTPDownload.Outcome, then completion: @escaping Completion) {
        guard case .success(let bytes) = outcome, !loop.isDraining else { return completion(nil) }
        errands.run {
            PictureFile(bytes)?.picture
        } done: { picture in
            completion(picture ?? nil)
        }
    }
}
