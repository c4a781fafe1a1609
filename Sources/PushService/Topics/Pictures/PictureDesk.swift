import Base
package import HTTP
package import Mailbox
package import Pictures
package import System
package import Topics

/// Finds the pictures of messages for those who may read them, on one loop.
// Unchecked: its state is used only on the loop's thread, to which the answers are posted.
package final class PictureDesk: @unchecked Sendable {
    private let service: ServiceState
    private let loop: EventLoop
    private let files: FileDesk
    private let links: SharedPictureFetcher
    @exclusivity(unchecked) private var searches = SlotTable<(PictureFinding) -> Void>()

    package init(_ service: ServiceState, _ links: SharedPictureFetcher, on loop: EventLoop) {
        (self.service, self.links, self.loop) = (service, links, loop)
        files = FileDesk(service, on: loop)
    }

    /// Finds the picture of a message: in the file that came with it, or, if the topic allows that,
    /// where the message links to.
    package func find(
        _ content: TopicContent, of topic: Registration,
        then: @escaping (PictureFinding) -> Void
    ) {
        find(content.picturePlaces[...], of: topic, content, then)
    }

    /// Whether it is worth the look of a page with many messages. A link to a file is none whose
    /// name is not that of a picture.
    package static func mayFind(_ message: TopicMessage, of topic: Registration) -> Bool {
        guard !message.pictureName.isEmpty else { return false }
        return message.content.picturePlaces.contains { place in
            guard case .link(let url) = place else { return true }
            let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
            return topic.terms.topic.pictures.allows(message.content)
                && (url == message.content.icon || endings.contains { path.hasSuffix($0) })
        }
    }

    private static let endings = [".png", ".jpg", ".jpeg"]

    private func find(
        _ places: ArraySlice<PicturePlace>, of topic: Registration, _ content: TopicContent,
        _ then: @escaping (PictureFinding) -> Void
    ) {
        let next: (PictureFinding) -> Void = { [self] finding in
            guard case .none = finding else { return then(finding) }
            find(places.dropFirst(), of: topic, content, then)
        }
        switch places.first {
        case nil: then(.none)
        case .file(let name):
            // Its type is known, so there is nothing that could be found elsewhere.
            files.load(name, limit: PictureFile.byteLimit) {
                then(PictureFinding($0.flatMap { PictureFile($0) }))
            }
        case .link(let url):
            guard topic.terms.topic.pictures.allows(content), let fetcher = links.fetcher else {
                return next(.none)
            }
            let ticket = searches.put(next)
            let owner = service.index.owner(ofDevice: topic.device)
            fetcher.find(url, of: topic.device, ofOwner: owner) { finding in
                self.loop.post { self.searches.remove(ticket)?(finding) }
            }
        }
    }
}

extension HTTPExchange {
    /// Answers with a picture. Nothing in it runs, whatever it is.
    package func respond(_ picture: PictureFile) {
        var head = answer(200)
        head.fields.append("Content-Type", picture.kind.mediaType)
        head.fields.append("Content-Security-Policy", "sandbox; default-src 'none'")
        head.fields.append("X-Content-Type-Options", "nosniff")
        head.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        head.fields.append("Referrer-Policy", "no-referrer")
        head.fields.append("Cache-Control", "private, no-store")
        respond(consume head, body: picture.bytes)
    }
}
