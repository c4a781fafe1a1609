import Base
import Notifications
import System
import Terminal

/// `bellwire watch` on a terminal, as a value: keys and updates go in, actions and screens come out.
struct WatchView {
    enum Action: Equatable {
        /// To the engine of an account, by its place in the list.
        case send(EngineRequest, account: Int = 0)
        case open(ExternalLink)
        case quit
        /// Give the terminal back until the program is continued.
        case pause
        /// Draw everything again.
        case redraw
    }

    /// A group; numbers are unique only inside an account.
    struct GroupID: Hashable {
        let account: Int
        let id: Int32
    }

    enum Row: Hashable {
        case group(GroupID)
        case notification(group: GroupID, Int32)
    }

    enum Mode: Equatable {
        case list
        case help
        case muting(account: Int = 0, chat: Int64, title: String)
        case replying(
            account: Int = 0, group: Int32, notification: Int32, title: String, LineEditor)
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
        let account: Int
        let chat: Int64
        let message: Int64
    }

    /// More are not awaited at once.
    private static let performedLimit = 32

    let context: ViewContext
    /// The names of the accounts.
    let accounts: [String]
    /// Whether this session has something that opens links.
    let opensLinks: Bool
    /// One for each account.
    var engines: [WatchedAccount]
    var list = ScrollingList<Row>()
    var mode = Mode.list
    /// Of each account.
    private(set) var connections: [Connection]
    /// What was done last; the next key removes it.
    var message = ""
    /// How many rows the list had when it was drawn.
    var page = 1
    private var performed: [Performed] = []

    init(_ accounts: [String], _ context: ViewContext, opensLinks: Bool) {
        self.accounts = accounts
        engines = accounts.map { _ in WatchedAccount() }
        connections = accounts.map { _ in .connecting }
        self.context = context
        self.opensLinks = opensLinks
    }

    mutating func joined(_ account: Int = 0) {
        connections[account] = .open
        engines[account].joined()
    }

    mutating func lost(_ account: Int = 0) { connections[account] = .away }

    /// The account has ended; the others go on.
    mutating func ended(_ account: Int) {
        engines[account] = WatchedAccount()
        updateList()
    }

    /// The server is away if no account is connected any more.
    var connection: Connection {
        let states: [Connection] = [.open, .connecting]
        return states.first(where: connections.contains) ?? .away
    }

    mutating func received(
        _ message: EngineMessage, from account: Int = 0, now: Int
    ) -> [Action] {
        let chats = Action.send(WatchedAccount.chatsRequest, account: account)
        switch message {
        case .chats(let list): engines[account].apply(list, now: now)
        case .error(let error): self.message = context.language.say(.refused, error.message)
        case .done(.muted(let chat, let seconds)?):
            muted(account, chat, seconds, now)
            return [chats]
        case .action(let action): return taken(action, account)
        case .sessionRevoked: self.message = context.say(.revoked)
        case .fetch(let notice):
            if notice.reason != "register_device" { self.message = context.say(.fetch) }
        case .settingsChanged: return [chats]
        case .update(let update):
            let isNew = engines[account].apply(update)
            updateList()
            return isNew ? [chats] : []
        case .done, .actionExpired: break
        }
        return []
    }

    /// By which the answer to a request is known: it has to say which chat was muted.
    static func mark(of request: EngineRequest) -> EngineRequest.Mark? {
        guard case .mute(let chat, let seconds) = request else { return nil }
        return .muted(chat: chat, seconds: seconds ?? 0)
    }

    /// The newest group comes first, in whatever account it is.
    private mutating func updateList() {
        var groups = engines.enumerated().flatMap { account, engine in
            engine.groups.map { (account, $0) }
        }
        if engines.count > 1 {
            groups.sort { ($0.1.newest?.date ?? 0, $1.0) > ($1.1.newest?.date ?? 0, $0.0) }
        }
        list.update(
            groups.flatMap { account, group in
                let id = GroupID(account: account, id: group.id)
                return [Row.group(id)]
                    + group.notifications.map { .notification(group: id, $0.facts.id) }
            })
    }

    private mutating func muted(_ account: Int, _ chat: Int64, _ seconds: Int, _ now: Int) {
        let title = self.title(of: chat, in: account)
        message =
            seconds == 0
            ? context.language.say(.unmuted, title)
            : seconds >= ChatList.forGood
                ? context.language.say(.mutedFor, title)
                : context.language.say(
                    .mutedUntil, title, context.shortTime(now + seconds, now: now))
    }

    /// The engine would tell the application of a link that is open by now.
    private mutating func taken(_ action: OwedAction, _ account: Int) -> [Action] {
        let done = Performed(account: account, chat: action.chat, message: action.message)
        guard action.action == "default", let index = performed.firstIndex(of: done) else {
            return []
        }
        performed.remove(at: index)
        return [.send(.actionTaken(id: action.id), account: account)]
    }

    mutating func perform(_ account: Int, chat: Int64, message: Int64) {
        performed =
            performed.suffix(Self.performedLimit - 1) + [
                Performed(account: account, chat: chat, message: message)
            ]
    }

    /// A name for the chat, whatever is known of it.
    func title(of chat: Int64, in account: Int) -> String {
        let engine = engines[account]
        let titles = [engine.groups.first { $0.chat == chat }?.title, engine.chats[chat]?.title]
        return titles.lazy.compactMap(\.self).first { !$0.isEmpty } ?? accounts[account]
    }

    func group(_ id: GroupID) -> WatchedGroup? { engines[id.account].group(id.id) }

    /// The group of the selection, and the notification: of a group, its newest.
    var selected: (account: Int, group: WatchedGroup, notification: WatchedNotification)? {
        switch list.selected {
        case .group(let id):
            return group(id).flatMap { group in group.newest.map { (id.account, group, $0) } }
        case .notification(let id, let number):
            return group(id).flatMap { group in
                group.notifications.first { $0.facts.id == number }.map { (id.account, group, $0) }
            }
        case nil: return nil
        }
    }
}
