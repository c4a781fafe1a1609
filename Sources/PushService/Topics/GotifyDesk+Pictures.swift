import Base
import Crypto
import Delivery
import HTTP
import Mailbox
import Topics

/// The pictures of applications. Everybody who knows the name of one may see it.
extension GotifyDesk {
    func setPicture(_ request: GotifyRequest) throws(GotifyRefusal) {
        let picture = try GotifyPicture(type: request.contentType.span, request.exchange.body)
        guard picture.bytes.count <= TopicPicture.longest else { throw .tooLarge }
        topic(request.id, of: request.visitor) { [self] found in
            request.use(found) { entry throws(GotifyRefusal) in
                let registration = entry.registration
                var text: [UInt8] = []
                do throws(OpenSSLError) {
                    let bits = Bits128(high: try desk.random.word(), low: try desk.random.word())
                    bits.appendBase64URL(to: &text)
                } catch { throw .unavailable }
                let random = String(decoding: text, as: UTF8.self)
                let name = "\(registration.device)-\(random)\(picture.suffix)"
                set(TopicPicture(name, picture.bytes), of: registration, request)
            }
        }
    }

    func removePicture(_ request: GotifyRequest) {
        topic(request.id, of: request.visitor) { [self] found in
            request.use(found) { entry throws(GotifyRefusal) in
                set(nil, of: entry.registration, request)
            }
        }
    }

    private func set(
        _ picture: TopicPicture?, of registration: Registration, _ request: GotifyRequest
    ) {
        submit(
            .registration(.setPicture(picture, of: registration.device)), for: request,
            unknown: .unknownApplication
        ) { [self] in change(registration, request) { $0.picture = picture?.name ?? "" } }
    }

    /// The name begins with the number of the topic.
    func showPicture(named name: String, _ exchange: HTTPExchange) throws(GotifyRefusal) {
        let digits = Array(name.prefix { $0 != "-" }.utf8)
        guard service.store.isCurrent else { throw .unavailable }
        guard let device = UInt32(decimalDigits: digits.span) else { throw .unknownPath }
        let owner = service.index.owner(ofDevice: device)
        desk.list(.topic(.picture(of: device, owner: owner))) { [service] answer in
            guard case .topic(.picture(let found)) = answer else {
                return TopicAnswer.refuse(GotifyRefusal.unavailable, exchange)
            }
            guard let found, found.name == name else {
                let isGuessing = service.isGuessing(exchange.client)
                return TopicAnswer.refuse(
                    isGuessing ? GotifyRefusal(ntfy: .tooManyRequests) : .unknownPath, exchange)
            }
            Self.show(found.bytes, as: String(name.suffix(5)), exchange)
        }
    }

    /// Browsers take it for a picture, whatever is in it.
    static func show(_ bytes: [UInt8], as suffix: String, _ exchange: HTTPExchange) {
        let type: StaticString =
            switch suffix.drop(while: { $0 != "." }) {
            case ".jpg": "image/jpeg"
            case ".gif": "image/gif"
            case ".webp": "image/webp"
            default: "image/png"
            }
        var head = TopicAnswer.head(exchange, 200, type)
        head.fields.append("X-Content-Type-Options", "nosniff")
        head.fields.append("Content-Security-Policy", "sandbox; default-src 'none'")
        head.fields.append("Cross-Origin-Resource-Policy", "cross-origin")
        exchange.respond(consume head, body: bytes)
    }

    /// That of applications without one of their own: a bell.
    static let usualPicture: [UInt8] = {
        let text = """
            iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEU1XH3///+V2FNIAAAAU0lEQVR42pXN\
            sQ2AIBRFUYwFJSMwCqPpaIzCCJQUxKv8AjT4Y7zNqV6eMT9ao47LQqjCdggws8DeZhAHFpKGg6zhoUwEqArX\
            ebt/0vPlBZvufHUCXMpU9MAUQmgAAAAASUVORK5CYII=
            """
        return Base64.decode(Array(text.utf8)) ?? []
    }()
}
