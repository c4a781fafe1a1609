import Base
package import Notifications

/// The chats of an account, to mute them.
package struct ChatsPage: Sendable {
    private let registration: String
    private let name: String
    private let list: ChatList
    private let frame: PageFrame
    private let done: String?

    /// `registration` is the id of the registration of the account `name`.
    package init(
        _ list: ChatList, registration: String, name: String, _ frame: PageFrame, done: String?
    ) {
        self.list = list
        self.registration = registration
        self.name = name
        self.frame = frame
        self.done = done
    }

    private var place: String { "/ui/accounts/\(registration)" }

    package var html: [UInt8] {
        let notice = DoneSentence.text(done, frame).map(frame.notice) ?? ""
        return frame.page(
            frame.say(.chatsOf, name),
            """
            \(notice)\(pause)
            \(table)
            <p><a href="/ui/status">\(frame.say(.back))</a></p>
            """)
    }

    private var pause: Markup {
        let isPaused = list.isPaused
        let form =
            isPaused
            ? frame.form("\(place)/unpause", "<button>\(frame.say(.unpause))</button>")
            : frame.form("\(place)/pause", "\(times) <button>\(frame.say(.pause))</button>")
        return "<p>\(frame.say(isPaused ? .isPaused : .isNotPaused))</p>\(form)"
    }

    private var times: Markup {
        let options: [(String, Sentence)] = [
            ("3600", .anHour), ("28800", .eightHours), ("86400", .aDay), ("", .forGood),
        ]
        let list = options.map { value, sentence -> Markup in
            "<option value=\"\(value)\">\(frame.say(sentence))</option>"
        }
        return "<label>\(frame.say(.howLong)) <select name=\"for\">\(list)</select></label>"
    }

    private var table: Markup {
        let rows = list.chats.map(row)
        return frame.table(
            [.chat, .kind, .notifications, .actions], rows,
            name: "aria-label=\"\(frame.say(.chats))\"", orElse: .noChats, hasActions: true)
    }

    private func row(_ chat: ChatList.Chat) -> [Markup] {
        let name = chat.title.isEmpty ? "\(frame.say(.chat)) \(chat.id)" : chat.title
        let field: Markup = "<input type=\"hidden\" name=\"chat\" value=\"\(chat.id)\">"
        let form =
            chat.isMuted
            ? frame.form(
                "\(place)/unmute",
                """
                \(field)<button>\(frame.label(.unmute, of: name))</button>
                """)
            : frame.form(
                "\(place)/mute",
                """
                \(field)\(times) <button>\(frame.label(.mute, of: name))</button>
                """)
        let mark: Markup =
            chat.isMuted ? " <span class=\"bad\">\(frame.say(.isMuted))</span>" : ""
        return [
            "\(name)\(mark)", "\(chat.kind)", "\(chat.notifications)", form,
        ]
    }
}
