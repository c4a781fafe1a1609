import Base
import HTTP
import Mailbox
import PushService
import StatusPage

/// What the page shows and changes, on one loop.
struct PageDesk {
    let devices: DeviceRoutes
    let registrations: RegistrationRoutes
    let overview: OverviewDesk
    let inbox: InboxDesk
    let topics: TopicsDesk
    let questions: QuestionRoutes
    let passkeys: PasskeyDesk
    let buttons: PageButtons
    let engines: EngineDesk
    let streams: PageStreams
}

/// The pages on the public listeners. A visitor has the rights of the user who made the link.
final class PageRoutes {
    private enum Route: Sendable {
        case signIn, enter, leave, status, live, chats, addDevice
        case inbox, liveInbox, streamInbox, picture, markMessages
        case file(PageFile)
        case device(DeviceStep)
        case registration(RegistrationStep)
        case account(AccountStep)
        case question(QuestionStep)
        case access, challengeSignIn, enterByPasskey, challengePasskey, addPasskey, removePasskey
        case endSession
        case topics, addTopic, topic, askToRemoveTopic
        case changeTopic(TopicStep)

        /// A second time, its form would make a second thing.
        var isOnce: Bool {
            switch self {
            case .addDevice, .addTopic, .changeTopic(.makeToken), .changeTopic(.send): true
            default: false
            }
        }
    }

    enum DeviceStep { case remove, confirm }
    enum RegistrationStep { case test, revoke }
    enum QuestionStep { case answer, withdraw }
    enum AccountStep: String { case pause, unpause, mute, unmute }
    enum TopicStep: String, CaseIterable {
        case remove, settings, mute, unmute, revoke, send
        case makeToken = "tokens"
    }

    private static let signInPath = "/ui/login"

    private let service: ServiceState
    private let login: PageLogin
    private let desk: PageDesk
    private let pages: PageGuard
    private let router: HTTPRouter<Route>

    init(_ service: ServiceState, _ login: PageLogin, _ desk: PageDesk) {
        self.service = service
        self.login = login
        self.desk = desk
        pages = PageGuard(service)
        var router = HTTPRouter<Route>()
        router.add("/ui", [(.get, .inbox)])
        router.add("/ui/", [(.get, .inbox)])
        router.add("/ui/messages", [(.get, .liveInbox), (.post, .markMessages)])
        router.add("/ui/messages/stream", [(.get, .streamInbox)])
        router.add("/ui/messages/*/picture", [(.get, .picture)])
        router.add("/ui/questions/*/answer", [(.post, .question(.answer))])
        router.add("/ui/questions/*/withdraw", [(.post, .question(.withdraw))])
        router.add("/ui/status", [(.get, .status)])
        router.add(Self.signInPath, [(.get, .signIn), (.post, .enter)])
        router.add("/ui/login/challenge", [(.post, .challengeSignIn)])
        router.add("/ui/login/passkey", [(.post, .enterByPasskey)])
        router.add("/ui/access", [(.get, .access)])
        router.add("/ui/passkeys", [(.post, .addPasskey)])
        router.add("/ui/passkeys/challenge", [(.post, .challengePasskey)])
        router.add("/ui/passkeys/*/remove", [(.post, .removePasskey)])
        router.add("/ui/sessions/*/end", [(.post, .endSession)])
        router.add("/ui/logout", [(.post, .leave)])
        router.add("/ui/live", [(.get, .live)])
        for file in PageFile.allCases { router.add(file.rawValue, [(.get, .file(file))]) }
        router.add("/ui/devices", [(.post, .addDevice)])
        router.add("/ui/devices/*/remove", [(.post, .device(.remove))])
        router.add("/ui/devices/*/confirm", [(.post, .device(.confirm))])
        router.add("/ui/registrations/*/test", [(.post, .registration(.test))])
        router.add("/ui/registrations/*/revoke", [(.post, .registration(.revoke))])
        router.add("/ui/accounts/*", [(.get, .chats)])
        router.add("/ui/accounts/*/pause", [(.post, .account(.pause))])
        router.add("/ui/accounts/*/unpause", [(.post, .account(.unpause))])
        router.add("/ui/accounts/*/mute", [(.post, .account(.mute))])
        router.add("/ui/accounts/*/unmute", [(.post, .account(.unmute))])
        router.add("/ui/topics", [(.get, .topics), (.post, .addTopic)])
        router.add("/ui/topics/*", [(.get, .topic)])
        for step in TopicStep.allCases {
            let question: [(HTTPMethod, Route)] =
                step == .remove ? [(.get, .askToRemoveTopic)] : []
            router.add("/ui/topics/*/\(step.rawValue)", question + [(.post, .changeTopic(step))])
        }
        self.router = router
    }

    /// `path` is the path without that of base-url, and begins with `/ui/`.
    func serve(_ exchange: HTTPExchange, _ path: Range<Int>) {
        let verdict: PageGuard.Judgement
        switch service.settings.page {
        case .off, .sharedSite: return exchange.show(error: 404)
        case .usual: verdict = pages.judge(exchange)
        case .own(let origin): verdict = pages.judge(exchange, at: origin)
        }
        guard verdict != .misdirected else { return exchange.show(error: 421) }
        guard verdict == .ours, Self.isWelcome(exchange) else {
            return exchange.show(error: 403)
        }
        let head = exchange.head
        switch router.find(head.method, head.fields.bytes.span.extracting(path)) {
        case .otherMethod: exchange.show(error: 405)
        case .unknown: exchange.show(error: 404)
        case .found(let match):
            let start = path.lowerBound
            let star = match.first.lowerBound + start..<match.first.upperBound + start
            lead(exchange, match.action, head.text(star), login.session(head, service.admission))
        }
    }

    /// Other sites may link to the page, but their requests must not do more than open it.
    private static func isWelcome(_ exchange: HTTPExchange) -> Bool {
        let site = PageGuard.site(of: exchange) ?? "none"
        guard site != "none", site != "same-origin" else { return true }
        let head = exchange.head
        let mode = head.fields.firstValue(of: "sec-fetch-mode").map { head.text($0) }
        return head.method == .get && mode == "navigate"
    }

    private func lead(
        _ exchange: HTTPExchange, _ route: Route, _ name: String, _ session: PageLogin.Session?
    ) {
        switch route {
        case .file(let file): return exchange.show(file)
        case .signIn:
            return showSignIn(exchange)
        case .enter: return enter(exchange)
        case .challengeSignIn: return challenge(exchange)
        case .enterByPasskey: return enterByPasskey(exchange)
        default: break
        }
        guard let session else {
            switch route {
            case .live, .liveInbox, .streamInbox, .picture: return exchange.show(error: 401)
            default: return exchange.goOn(to: Self.signInPath)
            }
        }
        let request = VisitorRequest(exchange, session, service, desk)
        guard exchange.head.method == .post else { return show(request, route, name) }
        guard request.hasProof else { return request.fail(.form, status: 403) }
        if route.isOnce, !login.spend(request.form?["once"], exchange.head) {
            return request.fail(.form, status: 409)
        }
        change(request, route, name)
    }

    private func enter(_ exchange: HTTPExchange) {
        let form = exchange.isForm ? PageForm(exchange.body) : nil
        guard let code = form?["code"], let cookie = login.signIn(code: code, service.admission)
        else {
            return showSignIn(exchange, refusal: .code)
        }
        exchange.goOn(to: "/ui/", cookies: cookie)
    }

    private func showSignIn(_ exchange: HTTPExchange, refusal: SignInPage.Refusal? = nil) {
        let page = SignInPage(
            PageFrame(language: exchange.language), takesKeys: desk.passkeys.place != nil,
            refusal: refusal)
        exchange.show(page.html, status: refusal == nil ? 200 : 403)
    }

    /// Each browser gets a challenge of its own.
    private func challenge(_ exchange: HTTPExchange) {
        guard let place = desk.passkeys.place, let (cookie, binding) = login.makeBinding(),
            let challenge = desk.passkeys.challenge(to: binding)
        else { return exchange.show(error: 404) }
        exchange.show(
            live: JSONWriter.object { writer in
                writer.member("challenge", challenge)
                writer.member("host", place.host)
            }, cookie: cookie)
    }

    private func enterByPasskey(_ exchange: HTTPExchange) {
        let form = exchange.isForm ? PageForm(exchange.body) : nil
        guard let answer = PasskeyDesk.Answer(form), let binding = login.binding(exchange.head)
        else { return showSignIn(exchange, refusal: .passkey) }
        desk.passkeys.use(answer, binding) { [self] owner in
            guard let visitor = owner.flatMap({ ControlCaller(owner: $0) }),
                let cookie = login.signIn(visitor, service.admission)
            else { return showSignIn(exchange, refusal: .passkey) }
            exchange.goOn(to: "/ui/", cookies: cookie, PageLogin.endOfBinding)
        }
    }

    private func show(_ request: VisitorRequest, _ route: Route, _ name: String) {
        switch route {
        case .live: request.showLive()
        case .liveInbox: request.showLiveInbox()
        case .streamInbox: request.streamInbox()
        case .picture: request.showPicture(of: name)
        case .chats: request.showChats(of: name)
        case .status: request.showStatus()
        case .access: request.showAccess(login)
        case .topics: request.showTopics()
        case .topic: request.showTopic(name)
        case .askToRemoveTopic: request.askToRemove(topic: name)
        default: request.showInbox()
        }
    }

    private func change(_ request: VisitorRequest, _ route: Route, _ name: String) {
        switch route {
        case .leave:
            request.exchange.goOn(
                to: Self.signInPath, cookies: login.signOut(request.exchange.head))
        case .markMessages: request.markMessages()
        case .challengePasskey: request.challengePasskey()
        case .addPasskey: request.addPasskey()
        case .removePasskey: request.remove(passkey: name)
        case .endSession: request.end(session: name, login)
        case .question(let step): request.change(question: name, step)
        case .addDevice: request.addDevice()
        case .device(let step): request.change(device: name, step)
        case .registration(let step): request.change(registration: name, step)
        case .account(let step): request.change(account: name, step)
        case .addTopic: request.addTopic()
        case .changeTopic(let step): request.change(topic: name, step)
        default: break
        }
    }
}

/// The answers of the status page.
extension HTTPExchange {
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    func show(_ html: [UInt8], status: Int = 200) {
        var head = pageHead(status)
        head.fields.append("Content-Type", "text/html; charset=utf-8")
        head.fields.append("Cache-Control", "no-store")
        respond(consume head, body: html)
    }

    func show(live json: [UInt8], cookie: String? = nil) {
        var head = pageHead(200)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        if let cookie { head.fields.append("Set-Cookie", cookie) }
        respond(consume head, body: json)
    }

    /// A browser asks no more for a stream that is answered like this.
    func showNothing() { respond(pageHead(204)) }

    func show(_ file: PageFile) {
        var head = pageHead(200)
        head.fields.append("Content-Type", file.type)
        // They belong to the running version.
        head.fields.append("Cache-Control", "no-cache")
        respond(consume head, body: Array(file.text.utf8))
    }

    /// For somebody who has no session, or none that counts here.
    func show(error status: Int) {
        let reason: FailurePage.Reason = status == 403 ? .foreign : .place
        show(FailurePage(PageFrame(language: language), reason).html, status: status)
    }

    /// After a form, so that a reload does not send it again.
    func goOn(to path: String, cookies: String...) {
        var head = pageHead(303)
        head.fields.append("Location", path)
        head.fields.append("Cache-Control", "no-store")
        for cookie in cookies { head.fields.append("Set-Cookie", cookie) }
        respond(consume head)
    }

    func pageHead(_ status: Int) -> ResponseHead {
        var head = answer(status)
        head.fields.append("Content-Security-Policy", Self.policy)
        head.fields.append("X-Content-Type-Options", "nosniff")
        // Without a referrer, browsers would send no origin with a form.
        head.fields.append("Referrer-Policy", "same-origin")
        head.fields.append("Cross-Origin-Opener-Policy", "same-origin")
        head.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        return head
    }

    /// Whether the body is what a browser sends for a form.
    var isForm: Bool { hasType("application/x-www-form-urlencoded") }
}
