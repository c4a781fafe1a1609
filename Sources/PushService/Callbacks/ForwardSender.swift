import Base
import Configuration
import Crypto
import Mailbox
import Outbound
import Topics
import WebPush

/// Makes pushes of messages for push services of others: encrypted (RFC 8291), signed (RFC 8292), and
/// with the fields that RFC 8030 defines.
///
/// Signing again for each push would take as long as encrypting it, and Apple refuses tokens that are
/// renewed too often; so each service gets one token for hours. Use it on one thread.
struct ForwardSender: ~Copyable {
    /// A push that can be sent.
    struct Push: Confidential {
        let fields: [(name: String, value: String)]
        let body: [UInt8]
        /// By what it was signed.
        let token: String
    }

    private struct Token {
        let text: String
        let made: Double
        /// The one before it was refused.
        let isSecond: Bool
    }

    private static let hour: Double = 3_600
    /// Half of what RFC 8292 section 2 allows, in case the clocks differ.
    private static let lifetime = 12 * hour
    /// Beyond this number of push services, all are forgotten.
    private static let memory = 4_096

    var baseURL: BaseURL
    private let service: ServiceState
    private var encryptor: Encryptor
    private var marker: ForwardMarker
    private var key: SigningKey
    /// Its number.
    private var signer: UInt8 = 1
    private var tokens: [Origin: Token] = [:]
    /// Subscriptions for which two tokens were refused, with the time until which nothing is sent
    /// there. Others at the same service go on: whoever answers there may mean one owner alone.
    private var held: [String: Double] = [:]

    init(for service: ServiceState) throws(OpenSSLError) {
        let encryptor = try Encryptor()
        let marker = try service.makeForwardMarker()
        let key = try SigningKey(try service.forwardKey(1))
        self.encryptor = encryptor
        self.marker = marker
        self.key = key
        self.service = service
        baseURL = service.settings.baseURL
    }

    /// For how many seconds nothing is sent there; nil if it can be asked now. Times are in seconds
    /// since 1970.
    func pause(before url: String, at now: Double) -> UInt32? {
        guard let end = held[url], end > now else { return nil }
        return UInt32(min(end - now, Self.hour).rounded(.up))
    }

    mutating func push(
        _ message: ForwardedMessage, to url: String, _ target: PushTarget, isShort: Bool,
        at now: Double
    ) throws -> Push {
        guard let origin = Origin(url: url) else { throw RequestFailure.closed }
        let payload = ForwardPayload(
            message, from: try marker.server, opening: page)
        let text = payload.bytes(target.form, isShort ? .small : .usual)
        let push = try encryptor.encrypt(
            text.span, for: target.key, auth: target.auth, encoding: .aes128gcm)
        let token = try token(for: origin, target.signer, at: now)
        return Push(
            fields: try fields(of: message, origin, at: now) + [
                ("Content-Encoding", push.encoding.rawValue),
                ("Content-Type", "application/octet-stream"), ("Authorization", token),
            ], body: push.body, token: token)
    }

    /// What a browser opens: the page, or what the server says of itself where there is none.
    private var page: String {
        service.settings.page.origin.map { "\($0)/ui/" } ?? "\(baseURL)/"
    }

    private mutating func fields(
        of forwarded: ForwardedMessage, _ origin: Origin, at now: Double
    ) throws(OpenSSLError) -> [(name: String, value: String)] {
        let message = forwarded.message
        let rest = (message.expires ?? 0) - Int64(now)
        // Apple refuses what may not wait at all.
        let least: Int64 = origin.host.hasSuffix(".push.apple.com") ? 1 : 0
        return [
            ("TTL", "\(min(max(rest, least), Int64(Forward.longestLife)))"),
            ("Urgency", Urgency(priority: message.content.ntfyPriority).rawValue),
            ("Topic", try marker.topic(of: forwarded)),
        ]
    }

    private mutating func token(
        for origin: Origin, _ signer: UInt8, at now: Double
    ) throws(OpenSSLError) -> String {
        if signer != self.signer {
            key = try SigningKey(try service.forwardKey(signer))
            self.signer = signer
            tokens = [:]
        }
        let known = tokens[origin]
        if let known, known.made <= now, now < known.made + Self.lifetime / 2 { return known.text }
        let token = VAPIDToken(
            audience: origin, expiry: Int(now + Self.lifetime), subject: subject)
        let signature = try key.sign(token.signingInput.span)
        let text = "vapid t=\(token.signed(signature.span)), k=\(key.publicKey.base64URL)"
        if tokens.count >= Self.memory { tokens = [:] }
        tokens[origin] = Token(text: text, made: now, isSecond: known?.isSecond ?? false)
        return text
    }

    /// Where its operator is reached. Apple refuses the name of a machine that is none in the world.
    private var subject: String? {
        let origin = baseURL.origin
        guard origin.scheme == "https", !origin.isLoopback, origin.host.contains("."),
            IPAddress(origin.host) == nil, !origin.host.hasPrefix("[")
        else { return nil }
        return origin.description
    }

    /// What an answer means for the push that was signed by this token.
    mutating func meaning(
        of response: HTTPResponse, from url: String, token: String, at now: Double
    ) -> PushServiceAnswer {
        var answer = PushServiceAnswer(
            status: response.status, retryAfter: response.field("retry-after"),
            body: response.body, now: now)
        guard let origin = Origin(url: url) else { return answer }
        switch answer.meaning {
        case .accepted:
            held[url] = nil
            if let known = tokens[origin], known.isSecond, known.text == token {
                tokens[origin] = Token(text: token, made: known.made, isSecond: false)
            }
        case .unauthorized:
            answer.meaning = .later(seconds: refused(token, url, origin, at: now))
        case .gone, .tooLong, .refused, .later: break
        }
        return answer
    }

    /// After how many seconds to try again: at once with a new token, and if that is refused, too,
    /// after an hour, because then it is the fault of the key, the clock or the name of this server.
    private mutating func refused(
        _ token: String, _ url: String, _ origin: Origin, at now: Double
    ) -> UInt32 {
        guard let known = tokens[origin], known.text == token else { return 0 }
        if known.isSecond {
            if held.count >= Self.memory { held = [:] }
            held[url] = now + Self.hour
            tokens[origin] = nil
            return UInt32(Self.hour)
        }
        // Its time is over.
        tokens[origin] = Token(text: "", made: -.infinity, isSecond: true)
        return 0
    }
}

extension Urgency {
    /// The urgency of a message with this priority, from 1 to 5; 0 for none.
    fileprivate init(priority: Int) {
        switch priority {
        case 1: self = .veryLow
        case 2: self = .low
        case 4...: self = .high
        default: self = .normal
        }
    }
}
