import Base
import Crypto
import HTTP
import Pictures
import System

/// Gets the pictures of notifications from the server that has the notifications, a few at a time. The
/// server may have to fetch them first.
///
/// Only the thread of the loop uses it.
final class PictureLoader {
    typealias Completion = (Picture?) -> Void

    private static let (atOnce, waitingLimit) = (2, 64)
    /// Longer than the server looks for a picture that it has not fetched yet.
    private static let patience = Duration.seconds(60)
    private static let unpacking = Duration.seconds(10)

    private let address: EngineAddress
    private let context: TLSContext
    private let loop: EventLoop
    private let errands: Errands
    private var waiting: [(name: String, completion: Completion)] = []
    private var downloads: [Int: HTTPDownload] = [:]
    private var running = 0
    private var lastDownload = 0

    init(from address: EngineAddress, trust context: TLSContext, on loop: EventLoop) {
        (self.address, self.context, self.loop) = (address, context, loop)
        errands = Errands(on: loop, limit: Self.unpacking, atMost: Self.atOnce)
    }

    /// Calls `completion` with nil if there is no picture that can be shown.
    func load(_ name: String, then completion: @escaping Completion) {
        guard waiting.count < Self.waitingLimit else { return completion(nil) }
        waiting.append((name, completion))
        loadOn()
    }

    func close() {
        waiting = []
        for download in downloads.values { download.cancel() }
    }

    private func loadOn() {
        while running < Self.atOnce, !waiting.isEmpty {
            let (name, completion) = waiting.removeFirst()
            running += 1
            fetch(name) { [weak self] picture in
                self?.running -= 1
                completion(picture)
                self?.loadOn()
            }
        }
    }

    private func fetch(_ name: String, _ completion: @escaping Completion) {
        guard let url = address.picture(name) else { return completion(nil) }
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
            unpack(outcome, completion)
        }
        if !download.hasEnded { downloads[number] = download }
    }

    /// A few bytes can take long to unpack, so another thread does that.
    private func unpack(_ outcome: HTTPDownload.Outcome, _ completion: @escaping Completion) {
        guard case .success(let bytes) = outcome, !loop.isDraining else { return completion(nil) }
        errands.run {
            PictureFile(bytes)?.picture
        } done: { picture in
            completion(picture ?? nil)
        }
    }
}
