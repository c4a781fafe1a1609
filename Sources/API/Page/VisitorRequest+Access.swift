import Base
import Mailbox
import StatusPage

/// Sessions and passkeys.
extension VisitorRequest {
    func showAccess(_ login: PageLogin) {
        desk.passkeys.list(of: caller.owner) { passkeys in
            guard let passkeys else { return fail(.unavailable) }
            whileAdmitted {
                var page = AccessPage(frame, done: done)
                page.now = Int(service.now())
                page.isFresh = isFresh
                page.hasKeys = desk.passkeys.place != nil
                page.sessions = login.sessions(like: session).map {
                    AccessPage.Session(
                        number: $0.number, began: page.now - Int($0.age / 1_000),
                        isThis: $0.isThis)
                }
                page.keys = passkeys.map {
                    AccessPage.Key(
                        row: Int($0.row), name: $0.name, made: Int($0.created.milliseconds / 1_000),
                        used: $0.lastUsed.map { Int($0.milliseconds / 1_000) })
                }
                exchange.show(page.html)
            }
        }
    }

    func end(session number: String, _ login: PageLogin) {
        guard let number = Int(number), login.end(number: number, of: visitor) else {
            return fail(.unknown)
        }
        goOn("session-ended")
    }

    /// What the script passes to the browser, with the keys that it must not make again.
    func challengePasskey() {
        guard isFresh else { return fail(.stale, status: 403) }
        desk.passkeys.list(of: caller.owner) { passkeys in
            guard let passkeys, let place = desk.passkeys.place,
                let challenge = desk.passkeys.challenge(to: session.formToken)
            else { return fail(.unavailable) }
            whileAdmitted {
                exchange.show(
                    live: JSONWriter.object { writer in
                        writer.member("challenge", challenge)
                        writer.member("host", place.host)
                        writer.member("name", caller.owner)
                        let owner = Array(caller.owner.utf8)
                        writer.member("user", Base64URL.text(owner.span))
                        writer.name("known")
                        writer.array { writer in
                            for passkey in passkeys {
                                writer.string(Base64URL.text(passkey.id.span))
                            }
                        }
                    })
            }
        }
    }

    func addPasskey() {
        guard isFresh else { return fail(.stale, status: 403) }
        guard let answer = PasskeyDesk.Answer(form) else { return fail(.passkey, status: 400) }
        let name = form?["name"] ?? ""
        desk.passkeys.add(answer, named: name, for: caller.owner, session.formToken) { refusal in
            whileAdmitted {
                switch refusal {
                case nil: goOn("passkey")
                case .badBody: fail(.passkey, status: 400)
                case .nameInUse: fail(.keyName, status: 409)
                case .some(let refusal): fail(refusal)
                }
            }
        }
    }

    func remove(passkey row: String) {
        guard let row = Int64(row) else { return fail(.unknown) }
        desk.passkeys.remove(row, of: caller.owner) { refusal in
            whileAdmitted {
                if let refusal { fail(refusal) } else { goOn("passkey-removed") }
            }
        }
    }

    private func goOn(_ step: String) { exchange.goOn(to: "/ui/access?done=\(step)") }
}
