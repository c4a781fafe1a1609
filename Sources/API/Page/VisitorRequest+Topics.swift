import Base
import Mailbox
import Notifications
import PushService
import StatusPage
import Topics
import WebPush

/// Topics.
extension VisitorRequest {
    func showTopics() {
        desk.topics.list(of: caller) { found in
            whileAdmitted {
                switch found {
                case .success(let topics):
                    let page = TopicsPage(topics, at: Int(service.now()), frame, done: done)
                    exchange.show(page.html)
                case .failure(let refusal): fail(refusal)
                }
            }
        }
    }

    func showTopic(_ id: String) {
        withTopic(id) { registration, topic in
            EngineQuestion.ask(desk.engines, registration.engine, .chats(limit: 0)) { answer in
                whileAdmitted {
                    let page = TopicPage(
                        topic, TopicQuiet(answer), isFresh: isFresh, at: Int(service.now()), frame,
                        done: done)
                    exchange.show(page.html)
                }
            }
        }
    }

    func askToRemove(topic id: String) {
        withTopic(id) { _, topic in exchange.show(RemoveTopicPage(topic, frame).html) }
    }

    /// Only a name that can be in an address: a page tells no other one.
    func addTopic() {
        let text = form?["name"] ?? ""
        guard let name = TopicName(text), !name.isReserved, !name.isUnifiedPush,
            !text.hasPrefix(TopicName.secretPrefix)
        else { return fail(.topicName, status: 400, back: .topics) }
        let details = TopicDetails {
            guard let description = form?["description"], !description.isEmpty else { return }
            $0.application = ApplicationDetails { $0.description = description }
        }
        let body = RegistrationTerms.request(topic: name.text, .plain, details)
        desk.registrations.register(body, key: nil, caller) { result in
            whileAdmitted {
                switch result {
                case .success(let answer):
                    let id = MadeRegistration(json: answer.body)?.id ?? ""
                    exchange.goOn(to: "/ui/topics/\(id)?done=topic-made")
                case .failure(let refusal): fail(topic: refusal, back: .topics)
                }
            }
        }
    }

    func change(topic id: String, _ step: PageRoutes.TopicStep) {
        withTopic(id) { registration, topic in
            switch step {
            case .remove:
                desk.registrations.revoke(
                    registration.id, caller, finish("topic-removed", id, isGone: true))
            case .settings: set(topic, registration)
            case .mute, .unmute: change(sound: registration, step)
            case .makeToken: makeToken(for: topic)
            case .send: send(to: registration)
            case .revoke: revoke(form?["token"] ?? "", of: topic)
            }
        }
    }

    /// Calls `then` with a topic of the visitor's own.
    private func withTopic(_ id: String, then: @escaping (Registration, OwnTopic) -> Void) {
        desk.topics.find(id, caller) { found in
            whileAdmitted {
                switch found {
                case .success(let found): then(found.0, found.1)
                case .failure(let refusal): fail(topic: refusal, back: .topics)
                }
            }
        }
    }

    /// Goes on to the page of the topic, or says what did not work.
    private func finish(
        _ done: String, _ id: String, isGone: Bool = false
    ) -> (APIResult) -> Void {
        { result in
            whileAdmitted {
                switch result {
                case .success:
                    exchange.goOn(to: "/ui/topics\(isGone ? "" : "/\(id)")?done=\(done)")
                case .failure(let refusal): fail(topic: refusal, back: .topic(id))
                }
            }
        }
    }

    private func fail(topic refusal: APIRefusal, back: FailurePage.Back) {
        switch refusal {
        case .topicExists: fail(.topicTaken, status: refusal.status, back: back)
        case .tooManyRegistrations: fail(.topicLimit, status: refusal.status, back: back)
        case .badBody: fail(.topicText, status: refusal.status, back: back)
        case .notAllowed: fail(.topicOpen, status: refusal.status, back: back)
        case .nameInUse: fail(.tokenName, status: refusal.status, back: back)
        case .tooManyTokens: fail(.tokenLimit, status: refusal.status, back: back)
        case .unknown: fail(.gone, status: 404, back: .topics)
        default: fail(.later, status: refusal.status, back: back)
        }
    }
}

/// Settings, and the sound.
extension VisitorRequest {
    private func set(_ topic: OwnTopic, _ registration: Registration) {
        let keep = form?["keep"] ?? ""
        guard keep.isEmpty || Int(keep) != nil else {
            return fail(.topicText, status: 400, back: .topic(topic.id))
        }
        var wanted = topic.details.settings
        wanted.keep = Int(keep)
        // The form of a topic without a short address does not ask.
        if topic.details.address != nil { wanted.isOpen = form?["open"] == "yes" }
        var application = topic.details.application ?? ApplicationDetails()
        application.name = form?["title"] ?? application.name
        application.description = form?["description"] ?? application.description
        wanted.application = application
        desk.registrations.changeTopic(
            registration.id, wanted.json, caller, finish("topic-changed", topic.id))
    }

    private func change(sound registration: Registration, _ step: PageRoutes.TopicStep) {
        let field = form?["for"] ?? ""
        let time = Int32(field).flatMap { $0 > 0 ? Int($0) : nil }
        let id = registration.id.text
        guard field.isEmpty || time != nil else {
            return fail(.form, status: 400, back: .topic(id))
        }
        let isMuted = step == .mute
        let request = EngineRequest.pause(isMuted, seconds: isMuted ? time : nil)
        EngineQuestion.ask(desk.engines, registration.engine, request) { answer in
            let isDone = answer.map { EngineError($0) == nil } ?? false
            finish(isMuted ? "topic-muted" : "topic-unmuted", id)(
                isDone ? .success((204, [])) : .failure(.unavailable))
        }
    }
}

/// Tokens.
extension VisitorRequest {
    private func makeToken(for topic: OwnTopic) {
        guard isFresh else {
            return fail(.tokenSignIn, status: 403, back: .topic(topic.id))
        }
        let expires = form?["expires"] ?? ""
        guard let use = TokenUse(rawValue: form?["use"] ?? ""),
            expires.isEmpty || Int(expires) != nil
        else { return fail(.form, status: 400, back: .topic(topic.id)) }
        var request = TokenRequest()
        (request.name, request.registration) = (form?["name"] ?? "", topic.id)
        request.expires = Int(expires)
        use.describe(in: &request)
        desk.topics.tokens.add(request.json, caller) { result in
            whileAdmitted {
                switch result {
                case .success(let answer):
                    let token = ListedToken(json: answer.body) ?? ListedToken()
                    exchange.show(MadeTokenPage(token, for: topic, frame).html)
                case .failure(.badBody): fail(.tokenName, status: 400, back: .topic(topic.id))
                case .failure(let refusal): fail(topic: refusal, back: .topic(topic.id))
                }
            }
        }
    }

    /// Only one that the page of the topic shows.
    private func revoke(_ number: String, of topic: OwnTopic) {
        guard let token = topic.tokens?.first(where: { "\($0.id)" == number }) else {
            return fail(.gone, status: 404, back: .topic(topic.id))
        }
        desk.topics.tokens.remove(
            UInt32(clamping: token.id), caller, finish("token-revoked", topic.id))
    }
}

/// Messages.
extension VisitorRequest {
    /// The fields of the form, and what they are in ntfy's language.
    private static let fields: [(String, NtfyParameter)] = [
        ("title", .title), ("priority", .priority), ("tags", .tags), ("click", .click),
        ("delay", .delay), ("markdown", .isMarkdown),
    ]

    private func send(to topic: Registration) {
        var fields = NtfyFields()
        for (name, parameter) in Self.fields {
            if let text = form?[name] { fields.overwrite(parameter, text) }
        }
        // Forms are sent with the line ends of another time.
        let text = String((form?["text"] ?? "").map { $0 == "\r\n" ? "\n" : $0 })
        let isDelayed = form?["delay"]?.isEmpty == false
        desk.topics.intake.publish(fields, text, to: topic.device) { sent in
            let id = topic.id.text
            switch sent {
            case .success: finish(isDelayed ? "delayed" : "sent", id)(.success((201, [])))
            case .failure(let refusal):
                let reason = FailurePage.Reason(refusal)
                whileAdmitted { fail(reason, status: refusal.http, back: .topic(id)) }
            }
        }
    }
}

extension FailurePage.Reason {
    /// What is wrong with what somebody wrote.
    fileprivate init(_ refusal: NtfyRefusal) {
        switch refusal.code {
        case NtfyRefusal.badDelay.code, NtfyRefusal.shortDelay.code, NtfyRefusal.longDelay.code:
            self = .messageDelay
        case 40_000..<41_400: self = .messageText
        default: self = .later
        }
    }
}

extension TopicQuiet {
    /// What the engine of its account has answered, if it has.
    fileprivate init(_ answer: JSONNode?) {
        guard let answer, EngineError(answer) == nil else {
            self = .unknown
            return
        }
        let list = ChatList(answer)
        self = list.isPaused ? .muted(rest: list.pauseTime) : .none
    }
}
