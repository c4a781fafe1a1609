import Base
import Crypto
import HTTP
import PushService
import StatusPage
import System

/// Lets people in to the status page: links, sessions and their cookies. Any thread may use it.
final class PageLogin: Sendable {
    typealias Session = PageSessions<ControlCaller>.Session

    /// The prefix makes browsers insist on Secure and on one host (RFC 6265bis section 4.1.3).
    private static let cookie = "__Host-bellwire"
    private static let bindingCookie = "__Host-bellwire-login"
    private static let nameLength = 20

    private let sessions = Lock(PageSessions<ControlCaller>())
    let challenges = PasskeyChallenges()
    private let listeners = Lock<[@Sendable () -> Void]>([])

    /// The answer to the control socket: a link by which the caller gets in once.
    func link(for caller: ControlCaller, at place: PagePlace) -> APIResult {
        guard let origin = place.origin else { return .failure(.noPage(Self.reason(place))) }
        guard let (code, digest) = Self.makeName() else { return .failure(.unavailable) }
        sessions.withLock { $0.add(code: digest, for: caller, at: Boot.milliseconds) }
        var writer = JSONWriter()
        writer.object { writer in
            // No server gets to see what stands after the # sign.
            writer.member("url", "\(origin)/ui/login#\(code)")
            writer.member(
                "expires_in", Int(PageSessions<ControlCaller>.codeLifetime / 1_000))
        }
        return .success((201, writer.bytes))
    }

    private static func reason(_ place: PagePlace) -> String {
        place == .sharedSite
            ? "there is no status page, because base-url has a path and other pages of its site "
                + "could use it; name an origin of its own: ui = https://HOST"
            : "the configuration says ui = off"
    }

    /// The value of the field Set-Cookie; nil for a code that is not valid, or whose maker has lost
    /// its rights.
    func signIn(code: String, _ admission: AdmissionRules) -> String? {
        guard let digest = Self.digest(of: code), let (name, session) = Self.makeName(),
            let (formToken, _) = Self.makeName()
        else { return nil }
        let made = sessions.withLock { sessions in
            sessions.signIn(
                code: digest, session: session, formToken: formToken, at: Boot.milliseconds)
        }
        guard let made else { return nil }
        guard admission.admit(made.visitor.pass) else {
            sessions.withLock { $0.end(session) }
            return nil
        }
        // It may have taken the place of an older one.
        tellOfEnds()
        return Self.field(ofSession: name)
    }

    /// Lets in whoever has shown a passkey of this visitor. Nil if that visitor has lost its rights.
    func signIn(_ visitor: ControlCaller, _ admission: AdmissionRules) -> String? {
        guard admission.admit(visitor.pass), let (name, session) = Self.makeName(),
            let (formToken, _) = Self.makeName()
        else { return nil }
        sessions.withLock { sessions in
            _ = sessions.begin(
                session, for: visitor, formToken: formToken, at: Boot.milliseconds)
        }
        tellOfEnds()
        return Self.field(ofSession: name)
    }

    private static func field(ofSession name: String) -> String {
        field("\(name); Max-Age=\(PageSessions<ControlCaller>.lifetime / 1_000)")
    }

    /// What binds a passkey's challenge to a browser that is not signed in: the value of Set-Cookie,
    /// and what to bind it to.
    func makeBinding() -> (cookie: String, binding: String)? {
        Self.makeName().map { name, _ in
            (Self.field("\(name); Max-Age=300", of: Self.bindingCookie), name)
        }
    }

    static var endOfBinding: String { field("; Max-Age=0", of: bindingCookie) }

    func binding(_ head: borrowing RequestHead) -> String? {
        Self.value(of: Self.bindingCookie, in: head)
    }

    /// The sessions of the same visitor.
    func sessions(like session: Session) -> [(number: Int, age: Int64, isThis: Bool)] {
        sessions.withLock { $0.all(like: session, at: Boot.milliseconds) }
    }

    /// False if the visitor has no such session.
    func end(number: Int, of visitor: ControlCaller) -> Bool {
        let isEnded = sessions.withLock { $0.end(number: number, of: visitor) }
        if isEnded { tellOfEnds() }
        return isEnded
    }

    /// The session of a request; nil for a visitor who has not signed in, or may not be here.
    func session(_ head: borrowing RequestHead, _ admission: AdmissionRules) -> Session? {
        guard let digest = Self.digest(in: head) else { return nil }
        let session = sessions.withLock { $0.session(digest, at: Boot.milliseconds) }
        guard let session else { return nil }
        // The session has ended for good, also if the visitor gets the rights back.
        guard admission.admit(session.visitor.pass) else {
            sessions.withLock { $0.end(digest) }
            return nil
        }
        return session
    }

    func isOpen(_ session: Session) -> Bool {
        sessions.withLock { $0.session(session.name, at: Boot.milliseconds) } != nil
    }

    /// `listener` is called when sessions may have ended: they are to be asked for.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    private func tellOfEnds() { for listener in listeners.withLock({ $0 }) { listener() } }

    /// Whether a form that may be sent only once is sent for the first time.
    func spend(_ number: String?, _ head: borrowing RequestHead) -> Bool {
        guard let digest = Self.digest(in: head), let number = number.flatMap({ Int($0) }) else {
            return false
        }
        return sessions.withLock { $0.spend(addition: number, of: digest) }
    }

    /// Returns the value of the field Set-Cookie.
    func signOut(_ head: borrowing RequestHead) -> String {
        if let digest = Self.digest(in: head) {
            sessions.withLock { $0.end(digest) }
            tellOfEnds()
        }
        return Self.field("; Max-Age=0")
    }

    private static func field(_ value: String, of cookie: String = cookie) -> String {
        "\(cookie)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict"
    }

    /// Nil without the cookie, and for several of them, which no browser sends.
    private static func digest(in head: borrowing RequestHead) -> Digest? {
        value(of: cookie, in: head).flatMap(digest)
    }

    private static func value(of cookie: String, in head: borrowing RequestHead) -> String? {
        var found: [String] = []
        head.fields.forEach { name, value in
            guard name.equalsIgnoringCase("cookie") else { return }
            for item in String(decoding: value.array(value.indices), as: UTF8.self)
                .split(separator: ";")
            {
                let item = item.drop { $0 == " " }
                guard item.hasPrefix(cookie + "=") else { continue }
                found.append(String(item.dropFirst(cookie.utf8.count + 1)))
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// A name that nobody can guess, and the digest by which it is known.
    private static func makeName() -> (name: String, digest: Digest)? {
        guard let bytes = try? Random.bytes(count: nameLength) else { return nil }
        let name = Base64URL.text(bytes.span)
        return digest(of: name).map { (name, $0) }
    }

    private static func digest(of name: String) -> Digest? {
        let bytes = Array(name.utf8)
        guard var hash = try? SHA256(), let digest = try? hash.digest(of: bytes.span) else {
            return nil
        }
        return Digest(digest)
    }
}
