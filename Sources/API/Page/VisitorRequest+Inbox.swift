import Base
import Crypto
import Mailbox
import StatusPage
import Topics

/// Messages.
extension VisitorRequest {
    func showInbox() {
        withInbox(after: nil) { inbox in
            guard let inbox else { return }
            exchange.show(InboxPage(inbox, frame, done: done).html)
        }
    }

    /// What the script asks for again and again.
    func showLiveInbox() {
        withInbox(after: query?["last"].flatMap { Int64($0) }) { inbox in
            exchange.show(
                live: inbox.map { InboxPage($0, frame).changes } ?? InboxPage.noChanges)
        }
    }

    private func withInbox(after last: Int64?, _ then: @escaping (Inbox?) -> Void) {
        guard let wish else { return fail(.place, status: 400) }
        desk.inbox.load(wish, for: caller, after: last) { result in
            whileAdmitted {
                switch result {
                case .success(let inbox): then(inbox)
                case .failure(.badBody): fail(.search, status: 400)
                case .failure(let refusal): fail(refusal)
                }
            }
        }
    }

    /// What the form of the page has sent, or one of its links; nil for what neither writes.
    private var wish: Inbox.Wish? {
        var wish = Inbox.Wish()
        (wish.topic, wish.words) = (query?["topic"] ?? "", query?["search"] ?? "")
        if let text = query?["before"] {
            guard let before = Int64(text) else { return nil }
            wish.before = before
        }
        return wish
    }

    func showPicture(of message: String) {
        desk.inbox.messages.picture(message, exchange, caller) { fail($0) }
    }

    /// Says when there is something new, for as long as the page is open.
    func streamInbox() {
        desk.inbox.messages.find(nil, caller) { found in
            whileAdmitted {
                switch found {
                case .failure(let refusal): fail(refusal)
                case .success(let topics):
                    // Without a topic there is nothing to hear of: the script asks now and then.
                    guard let owner = topics.owner else { return exchange.showNothing() }
                    desk.streams.open(exchange, session, of: owner)
                }
            }
        }
    }

    /// Marks the messages at the positions that a button of the form has as its value, or sends the
    /// request of a button.
    func markMessages() {
        if let button = form?["press"] { return press(button) }
        let kinds: [(String, OwnerMark.Kind)] = [
            ("read", .read), ("unread", .unread), ("delete", .deleted),
        ]
        for (word, kind) in kinds {
            guard let value = form?[word] else { continue }
            let numbers = value.split(separator: ",", omittingEmptySubsequences: false)
            let positions = numbers.compactMap { Int64($0) }
            guard positions.count == numbers.count, positions.count <= InboxDesk.limit else {
                return fail(.form, status: 400)
            }
            return desk.inbox.messages.mark(kind, positions, caller) { refusal in
                whileAdmitted {
                    switch refusal {
                    case nil: goBack(word)
                    case .askedOtherwise: fail(.openQuestion, status: 409)
                    case .some(let refusal): fail(refusal)
                    }
                }
            }
        }
        fail(.form, status: 400)
    }

    /// `button`: the id of the message, that of its button, and the key of a press whose result nobody
    /// knows.
    private func press(_ button: String) {
        let parts = button.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count),
            let key = parts.count == 3 ? parts[2] : Self.freshKey(),
            key.utf8.count <= 64, key.utf8.allSatisfy(\.isWordCharacter)
        else { return fail(.form, status: 400) }
        desk.inbox.messages.message(parts[0], caller, orElse: { fail($0) }) { entry, topic in
            let action = entry.message.content.actions.first { $0.id == parts[1] }
            guard let action, let request = PageButtons.request(action, key: key) else {
                return fail(.unknown)
            }
            let pressed = parts[0] + "." + parts[1]
            desk.buttons.press(pressed, request, of: action) { result in
                guard result != .unknown else {
                    let page = UnknownPressPage(
                        frame, action.label, at: request.url.host, again: pressed + "." + key)
                    return whileAdmitted { exchange.show(page.html) }
                }
                guard action.clears, case .answered(200..<300) = result else {
                    return whileAdmitted { goBack("press-" + result.word) }
                }
                desk.inbox.messages.mark(.read, [entry.position], caller) { _ in
                    whileAdmitted { goBack("press-" + result.word) }
                }
            }
        }
    }

    private static func freshKey() -> String? {
        (try? Random.bytes(count: 16)).map { Base64URL.text($0.span) }
    }

    /// To where the form was.
    private func goBack(_ step: String) {
        var wish = Inbox.Wish()
        (wish.topic, wish.words) = (form?["topic"] ?? "", form?["search"] ?? "")
        wish.before = form?["before"].flatMap { Int64($0) }
        exchange.goOn(to: "/ui/" + InboxPage.query(wish, done: step))
    }
}

/// Questions.
extension VisitorRequest {
    func change(question name: String, _ step: PageRoutes.QuestionStep) {
        var choice: (QuestionPress.Choice, UInt64)?
        if step == .answer {
            guard let number = form?["number"].flatMap({ UInt64($0) }), let answer else {
                return fail(.form, status: 400)
            }
            choice = (answer, number)
        }
        desk.questions.end(name, choice, caller) { result in
            whileAdmitted {
                switch result {
                case .success(let question):
                    let ending = step == .answer ? QuestionResult.Ending.answered : .withdrawn
                    exchange.goOn(
                        to: "/ui/?done="
                            + (question.result?.ending == ending ? ending.word : "late"))
                case .failure(.badBody): fail(.answer, status: 400)
                case .failure(.otherRequest): fail(.form, status: 409)
                case .failure(let refusal): fail(refusal)
                }
            }
        }
    }

    private var answer: QuestionPress.Choice? {
        if let place = form?["place"] { return Int(place).map { .place($0) } }
        return form?["text"].map { .text($0) }
    }
}
