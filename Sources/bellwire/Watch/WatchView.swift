import Base
import Desktop
import System
import Terminal

/// `bellwire watch` on a terminal, as a value: keys and updates go in, actions and screens come out.
struct WatchView {
    enum Action: Equatable {
        case send(WatchRequest)
        case open(ExternalLink)
        case quit
        /// Give the terminal back until the program is continued.
        case pause
        /// Draw everything again.
        case redraw
    }

    enum Row: Hashable {
        case group(Int32)
        case notification(group: Int32, Int32)
    }

    enum Mode: Equatable {
        case list
        case help
        case muting(chat: Int64, title: String)
        case replying(group: Int32, notification: Int32, title: String, LineEditor)
        /// Shows a link that nothing opens.
        case link(String)
    }

    enum Connection: Equatable {
        case connecting
        case open
        case away
    }

    /// An action whose link was opened here, so that the application need not hear of it.
    private struct Performed: Equatable {
        let chat: Int64
        let message: Int64
    }

    /// More are not awaited at once.
    private static let performedLimit = 32

    let context: ViewContext
    let account: String
    /// Whether this session has something that opens links.
    let opensLinks: Bool
    var engine = WatchedAccount()
    var list = ScrollingList<Row>()
    var mode = Mode.list
    var connection = Connection.connecting
    /// What was done last; the next key removes it.
    var message = ""
    /// How many rows the list had when it was drawn.
    var page = 1
    private var performed: [Performed] = []

    init(_ account: String, _ context: ViewContext, opensLinks: Bool) {
        self.account = account
        self.context = context
        self.opensLinks = opensLinks
    }

    mutating func joined() {
        connection = .open
        engine.joined()
    }

    mutating func lost() { connection = .away }

    /// An update of the engine, or its answer to a request.
    mutating func received(_ update: JSONNode, now: Int) -> [Action] {
        let extra = update["@extra"]
        if update["chats"] != nil {
            engine.applyChats(update, now: now)
            return []
        }
        switch update["@type"]?.text {
        case "error":
            message = context.language.say(.refused, update["message"]?.text ?? "")
            return []
        case "ok":
            guard let chat = extra?["chat"]?.integer else { return [] }
            muted(chat, Int(extra?["mute_for"]?.integer ?? 0), now)
            return [.send(.chats)]
        case "bellwire.updateNotificationAction": return taken(update)
        case "bellwire.updateSessionRevoked": message = context.say(.revoked)
        case "bellwire.updateFetchRequired":
            if update["reason"]?.text != "register_device" { message = context.say(.fetch) }
        default: break
        }
        let isNew = engine.apply(update, now: now)
        list.update(
            engine.groups.flatMap { group in
                [.group(group.id)]
                    + group.notifications.map { .notification(group: group.id, $0.facts.id) }
            })
        return isNew ? [.send(.chats)] : []
    }

    private mutating func muted(_ chat: Int64, _ seconds: Int, _ now: Int) {
        let title = self.title(of: chat)
        message =
            seconds == 0
            ? context.language.say(.unmuted, title)
            : seconds >= Int(Int32.max)
                ? context.language.say(.mutedFor, title)
                : context.language.say(
                    .mutedUntil, title, context.shortTime(now + seconds, now: now))
    }

    /// The engine would tell the application of a link that is open by now.
    private mutating func taken(_ update: JSONNode) -> [Action] {
        let done = Performed(
            chat: update["chat_id"]?.integer ?? 0, message: update["message_id"]?.integer ?? 0)
        guard update["action"]?.text == "default", let id = update["id"]?.textOrNumber,
            let index = performed.firstIndex(of: done)
        else { return [] }
        performed.remove(at: index)
        return [.send(.engine(.actionTaken(id: id)))]
    }

    mutating func perform(chat: Int64, message: Int64) {
        performed =
            performed.suffix(Self.performedLimit - 1) + [
                Performed(chat: chat, message: message)
            ]
    }

    /// A name for the chat, whatever is known of it.
    func title(of chat: Int64) -> String {
        let titles = [engine.groups.first { $0.chat == chat }?.title, engine.chats[chat]?.title]
        return titles.lazy.compactMap(\.self).first { !$0.isEmpty } ?? account
    }

    /// The group of the selection, and the notification: of a group, its newest.
    var selected: (group: WatchedGroup, notification: WatchedNotification)? {
        switch list.selected {
        case .group(let id):
            return engine.group(id).flatMap { group in group.newest.map { (group, $0) } }
        case .notification(let id, let number):
            return engine.group(id).flatMap { group in
                group.notifications.first { $0.facts.id == number }.map { (group, $0) }
            }
        case nil: return nil
        }
    }
}
