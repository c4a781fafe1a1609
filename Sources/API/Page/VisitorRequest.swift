import Base
import HTTP
import Mailbox
import Notifications
import PushService
import StatusPage
import System
import WebPush

/// One request of a visitor who has signed in.
struct VisitorRequest {
    let exchange: HTTPExchange
    let service: ServiceState
    let desk: PageDesk
    let visitor: ControlCaller
    let frame: PageFrame
    let form: PageForm?
    let query: QueryItems?
    let session: PageLogin.Session
    /// What the visitor has just done, as the address says.
    var done: String? { query?["done"] }

    init(
        _ exchange: HTTPExchange, _ session: PageLogin.Session, _ service: ServiceState,
        _ desk: PageDesk
    ) {
        self.exchange = exchange
        self.service = service
        self.desk = desk
        self.session = session
        visitor = session.visitor
        frame = PageFrame(
            language: exchange.language, formToken: session.formToken,
            additions: session.additions)
        form = exchange.isForm ? PageForm(exchange.body) : nil
        query = exchange.head.query.map { QueryItems(exchange.head.text($0), isForm: true) }
    }

    /// The visitor has signed in a short while ago.
    var isFresh: Bool { session.isFresh(at: Boot.milliseconds) }

    /// Whether the form is one of ours, of this session.
    var hasProof: Bool { frame.formToken.map { form?.proves($0) ?? false } ?? false }

    /// A callback must not lead anywhere with the rights of a local user, so it has none.
    var caller: APICaller { APICaller(visitor, userID: nil) }

    func fail(_ reason: FailurePage.Reason, status: Int, back: FailurePage.Back = .status) {
        exchange.show(FailurePage(frame, reason, back: back).html, status: status)
    }

    func fail(_ refusal: APIRefusal) {
        switch refusal {
        case .nameInUse, .badBody: fail(.name, status: refusal.status)
        case .tooManyDevices: fail(.limit, status: refusal.status)
        case .unknown, .notAllowed: fail(.gone, status: 404)
        default: fail(.later, status: refusal.status)
        }
    }

    /// Does `then` unless the visitor's rights have ended while the store was asked.
    func whileAdmitted(_ then: () -> Void) {
        guard service.admission.admit(visitor.pass) else { return fail(.gone, status: 403) }
        then()
    }

    func showStatus() { withStatus { exchange.show($0.html) } }

    func showLive() {
        let last = query?["last"].flatMap { Int($0) }
        withStatus { exchange.show(live: $0.live(after: last)) }
    }

    private func withStatus(_ then: @escaping (StatusPage) -> Void) {
        desk.overview.load(for: caller) { [self] overview in
            guard let overview else { return fail(.unavailable) }
            whileAdmitted { then(StatusPage(overview, frame, done: done)) }
        }
    }

    /// Goes back to the status page, or says what did not work.
    func finish(_ step: String) -> (APIResult) -> Void {
        { result in
            whileAdmitted {
                switch result {
                case .success: exchange.goOn(to: "/ui/status?done=\(step)")
                case .failure(let refusal): fail(refusal)
                }
            }
        }
    }
}

/// Devices and registrations.
extension VisitorRequest {
    func addDevice() {
        let device = DeviceRequest(form?["name"] ?? "", isReceiveOnly: form?["more"] != "yes")
        desk.devices.add(device, visitor) { result in
            whileAdmitted {
                switch result {
                case .success(let made): exchange.show(DevicePage(frame, made).html)
                case .failure(let refusal): fail(refusal)
                }
            }
        }
    }

    func change(device name: String, _ step: PageRoutes.DeviceStep) {
        let digits = Array(name.utf8)
        guard let row = UInt32(decimalDigits: digits.span) else { return fail(.unknown) }
        switch step {
        case .remove: desk.devices.remove(row, visitor, finish("remove"))
        case .confirm: desk.devices.confirm(row, visitor, finish("confirm"))
        }
    }

    func change(registration name: String, _ step: PageRoutes.RegistrationStep) {
        let id = RegistrationID(text: name)
        switch step {
        case .revoke: desk.registrations.revoke(id, caller, finish("revoke"))
        case .test:
            desk.registrations.find(id, caller, finish("test")) { found, _ in
                let isHeard = service.index.engines.hasListeners(found.engine)
                desk.registrations.test(
                    id, caller, frame.language, finish(isHeard ? "test" : "test-unheard"))
            }
        }
    }
}

/// The chats of an account.
extension VisitorRequest {
    func showChats(of name: String) {
        ask(name, .chats(limit: Self.chatLimit)) { answer, account in
            let page = ChatsPage(
                ChatList(answer), registration: name, name: account, frame, done: done)
            exchange.show(page.html)
        }
    }

    private static let chatLimit = 200

    func change(account name: String, _ step: PageRoutes.AccountStep) {
        let field = form?["for"] ?? ""
        let time = Int32(field).flatMap { $0 > 0 ? Int($0) : nil }
        guard field.isEmpty || time != nil else { return fail(.form, status: 400) }
        let chat = form?["chat"].flatMap { Int64($0) }
        let request: EngineRequest
        switch (step, chat) {
        case (.pause, _): request = .pause(true, seconds: time)
        case (.unpause, _): request = .pause(false)
        case (.mute, let chat?): request = .mute(chat: chat, seconds: time ?? ChatList.forGood)
        case (.unmute, let chat?): request = .mute(chat: chat, seconds: 0)
        case (.mute, nil), (.unmute, nil): return fail(.unknown)
        }
        ask(name, request) { _, _ in exchange.goOn(to: "/ui/accounts/\(name)?done=\(step.rawValue)")
        }
    }

    /// Asks the engine of a registration's account. `then` gets the answer and the account's name.
    private func ask(
        _ name: String, _ request: EngineRequest, then: @escaping (JSONNode, String) -> Void
    ) {
        let failed = { (result: APIResult) in
            if case .failure(let refusal) = result { fail(refusal) }
        }
        desk.registrations.find(RegistrationID(text: name), caller, failed) { found, _ in
            EngineQuestion.ask(desk.engines, found.engine, request) { answer in
                whileAdmitted {
                    guard let answer else { return fail(.unavailable) }
                    guard EngineError(answer) == nil else { return fail(.unknown) }
                    then(answer, found.terms.name)
                }
            }
        }
    }
}
