import Base

/// Who is signed in in the visitor's name, and with which keys that can be done.
package struct AccessPage: Sendable, Confidential {
    package struct Session: Sendable {
        let number: Int
        /// In seconds since 1970.
        let began: Int
        let isThis: Bool

        package init(number: Int, began: Int, isThis: Bool) {
            (self.number, self.began, self.isThis) = (number, began, isThis)
        }
    }

    package struct Key: Sendable, Confidential {
        let row: Int
        let name: String
        let made: Int
        let used: Int?

        package init(row: Int, name: String, made: Int, used: Int?) {
            (self.row, self.name, self.made, self.used) = (row, name, made, used)
        }
    }

    private let frame: PageFrame
    private let done: String?
    package var sessions: [Session] = []
    package var keys: [Key] = []
    /// A passkey belongs to a name, and not to an address of digits.
    package var hasKeys = true
    /// The visitor has signed in so recently that a key may be made.
    package var isFresh = false
    package var now = 0

    package init(_ frame: PageFrame, done: String? = nil) {
        (self.frame, self.done) = (frame, done)
    }

    package var html: [UInt8] {
        let notice = DoneSentence.text(done, frame).map(frame.notice) ?? ""
        return frame.page(
            frame.say(.access),
            """
            \(notice)<section aria-labelledby="title-sessions">
            <h2 id="title-sessions">\(frame.say(.sessions))</h2>
            \(sessionTable)</section>
            \(hasKeys ? keySection : "")
            """, tab: .access, script: .passkeyScript)
    }

    private var sessionTable: Markup {
        let rows = sessions.map { session -> [Markup] in
            let name = frame.say(session.isThis ? .thisSession : .otherSession)
            let button =
                session.isThis
                ? ""
                : frame.button("/ui/sessions/\(session.number)/end", .end, of: name)
            return ["\(name)", frame.time(session.began, from: now), button]
        }
        return frame.table(
            [.session, .since, .actions], rows, name: "aria-labelledby=\"title-sessions\"",
            orElse: .noSessions, hasActions: true)
    }

    private var keySection: Markup {
        let rows = keys.map { key -> [Markup] in
            [
                "<bdi>\(key.name)</bdi>", frame.time(key.made, from: now),
                key.used.map { frame.time($0, from: now) } ?? "\(frame.say(.neverUsed))",
                frame.dangerousButton(
                    "/ui/passkeys/\(key.row)/remove", .remove, of: key.name, .reallyRemoveKey),
            ]
        }
        let table = frame.table(
            [.name, .made, .lastUsed, .actions], rows, name: "aria-labelledby=\"title-keys\"",
            orElse: .noKeys, hasActions: true)
        return """
            <section aria-labelledby="title-keys"><h2 id="title-keys">\(frame.say(.passkeys))</h2>
            <p>\(frame.say(.whatPasskeysAre))</p>
            \(table)\(isFresh ? adding : "<p>\(frame.say(.keysNeedSignIn))</p>")</section>
            """
    }

    /// The script asks the browser for a key, and puts it into the form.
    private var adding: Markup {
        let form = frame.form(
            "/ui/passkeys",
            """
            <label>\(frame.say(.nameOfKey)) <input name="name" required maxlength="64" \
            autocomplete="off"></label> \(PasskeyFields.markup)\
            <button>\(frame.say(.addKey))</button>
            """, id: "add-passkey")
        return """
            \(form)
            <noscript><p>\(frame.say(.keysNeedScript))</p></noscript>
            """
    }
}

/// What the script fills in with a browser's answer.
enum PasskeyFields {
    static let names = ["id", "data", "client", "signature"]

    static var markup: Markup {
        let fields = names.map { name -> Markup in "<input type=\"hidden\" name=\"\(name)\">" }
        return "\(fields)"
    }
}
