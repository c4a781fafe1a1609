import Base
import Notifications
import Testing

@testable import Desktop

/// A presenter with the test's updates and a notification server in memory.
struct Screen {
    struct Shown: Equatable {
        var call: NotifyCall
        var isSilent: Bool { call[hint: "suppress-sound"] == .flag(true) }
    }

    var presenter: Presenter
    var now = Duration.seconds(1000)
    /// What is on the screen, by the server's ids.
    private(set) var visible: [UInt32: Shown] = [:]
    /// Every call, in order.
    private(set) var calls: [NotifyCall] = []
    private(set) var records: [ShownKey: ShownRecord] = [:]
    private(set) var highest: [String: [Int32: Int32]] = [:]
    private(set) var requests: [EngineRequest] = []
    private(set) var others: [PresenterAction] = []
    private(set) var identity: ServerIdentity?
    private var lastID: UInt32 = 0
    /// Calls wait for `answer` instead of being answered at once.
    var holdsAnswers = false
    private(set) var held: [(ticket: Int, call: NotifyCall, id: UInt32?)] = []

    static let dunst = [
        "actions", "body", "body-hyperlinks", "icon-static", "x-canonical-private-synchronous",
        "x-dunst-stack-tag", "body-markup",
    ]
    static let account = {
        var source = PresentedSource(
            id: "telegram/me", name: "Telegram", desktopEntry: "org.example.Chat",
            service: "org.example.Chat")
        source.tag = "1f"
        return source
    }()

    init(_ sources: [PresentedSource] = [account], history: ShownHistory = ShownHistory()) {
        presenter = Presenter(sources, history: history, freshKey: { "key" })
        for record in history.records { records[record.key] = record }
        highest = history.highest
    }

    var history: ShownHistory {
        ShownHistory(records: records.values.sorted { $0.key < $1.key }, highest: highest)
    }

    mutating func handle(_ event: PresenterEvent) {
        perform(presenter.handle(event, at: now))
    }

    mutating func elapse(_ time: Duration) {
        now += time
        handle(.elapsed)
    }

    /// Starts a server with an empty screen.
    mutating func serverAppears(
        name: String = "dunst", vendor: String = "", spec: String = "1.2",
        _ capabilities: [String] = dunst,
        owner: String = ":1.7", start: UInt64 = 5
    ) {
        let identity = ServerIdentity(owner: owner, processStart: start)
        // Calls that waited for the previous server are lost.
        if identity != self.identity { (visible, lastID, held) = ([:], 0, []) }
        self.identity = identity
        handle(
            .serverAppeared(
                NotificationServer(
                    identity: identity, name: name, vendor: vendor, specVersion: spec,
                    capabilities: capabilities)))
    }

    mutating func serverVanishes() {
        (visible, identity, lastID) = ([:], nil, 0)
        held = []
        handle(.serverVanished)
    }

    /// Kills and restarts the desktop; the screen stays as it is. A running call was sent before
    /// the kill, or not.
    mutating func restart(
        _ sources: [PresentedSource] = [account], isDelivered: Bool = false
    ) {
        presenter = Presenter(sources, history: history, freshKey: { "key" })
        if isDelivered { deliver() }
        held = []
    }

    mutating func answer() {
        let (ticket, call, id) = held.removeFirst()
        handle(.notified(ticket: ticket, id: id ?? put(call)))
    }

    /// Delivers held calls to the server, whose answers still wait.
    private mutating func deliver() {
        for index in held.indices where held[index].id == nil {
            held[index].id = put(held[index].call)
        }
    }

    private mutating func put(_ call: NotifyCall) -> UInt32 {
        var id = call.replacesID
        if id == 0 {
            lastID += 1
            id = lastID
            // Like dunst, it removes the earlier notification with the same tag.
            if let tag = call[hint: "x-dunst-stack-tag"] {
                visible = visible.filter { $0.value.call[hint: "x-dunst-stack-tag"] != tag }
            }
        }
        visible[id] = Shown(call: call)
        return id
    }

    private mutating func perform(_ actions: [PresenterAction]) {
        for action in actions {
            switch action {
            case .keep(let record):
                records[record.key] = record
                let (source, group) = (record.key.source, record.key.group)
                let known = highest[source]?[group] ?? 0
                highest[source, default: [:]][group] = max(known, record.key.notification)
            case .forget(let key): records[key] = nil
            case .forgetHighest(let source): highest[source] = nil
            case .notify(let ticket, let call):
                calls.append(call)
                held.append((ticket, call, nil))
                if !holdsAnswers { answer() }
            case .close(let key, let id):
                // It arrives after the calls sent before it.
                deliver()
                visible[id] = nil
                handle(.closed(key))
            case .request(_, let request): requests.append(request)
            default: others.append(action)
            }
        }
    }
}

/// Events from engines and users.
extension Screen {
    mutating func receive(_ json: String, source: String = "telegram/me") throws {
        let node = try JSONDocument(Array(json.utf8)).root
        let update = try #require(EngineMessage(node)?.update)
        handle(.update(source: source, update))
    }

    mutating func group(
        _ id: Int = 1, chat: Int = 5, added: [String] = [], removed: [Int] = [],
        sound: Int = -1, title: String = "", total: Int = 0, source: String = "telegram/me"
    ) throws {
        try receive(
            """
            {"@type":"updateNotificationGroup","notification_group_id":\(id),"chat_id":\(chat),
            "bellwire.chat_title":"\(title)","total_count":\(total),"notification_sound_id":"\(sound)",
            "added_notifications":[\(added.joined(separator: ","))],
            "removed_notification_ids":[\(removed.map(String.init).joined(separator: ","))]}
            """, source: source)
    }

    mutating func active(
        _ groups: [(id: Int, notifications: [String])], chat: Int = 5
    ) throws {
        let list = groups.map {
            """
            {"@type":"notificationGroup","id":\($0.id),"chat_id":\(chat),
            "notifications":[\($0.notifications.joined(separator: ","))]}
            """
        }
        try receive(
            """
            {"@type":"updateActiveNotifications","groups":[\(list.joined(separator: ","))]}
            """)
    }

    static func push(
        _ id: Int, _ body: String = "Hello", title: String = "Alice", message: Int? = nil,
        silent: Bool = false, more: String = "", outside: String = ""
    ) -> String {
        """
        {"@type":"notification","id":\(id),"date":1700000000,"is_silent":\(silent)\(outside),
        "type":{"@type":"notificationTypeNewPushMessage","message_id":\(message ?? id << 20),
        "sender_name":"Alice","content":{"@type":"pushMessageContentText","text":"x"},
        "bellwire.presentation":{"title":\(JSONText.quoted(title)),
        "body":\(JSONText.quoted(body))\(more)}}}
        """
    }

    static func notification(_ id: Int, type: String) -> String {
        #"{"@type":"notification","id":\#(id),"is_silent":false,"type":\#(type)}"#
    }

    mutating func user(closes id: UInt32, reason: UInt32 = 2) {
        visible[id] = nil
        handle(.notificationClosed(id: id, reason: reason, sender: identity?.owner ?? ""))
    }

    mutating func user(chooses key: String, on id: UInt32, token: String? = nil) {
        let sender = identity?.owner ?? ""
        if let token { handle(.activationToken(id: id, token: token, sender: sender)) }
        handle(.actionInvoked(id: id, key: key, sender: sender))
    }

    var bodies: [String] { visible.sorted { $0.key < $1.key }.map(\.value.call.body) }
    var sounding: [NotifyCall] { calls.filter { $0[hint: "suppress-sound"] == nil } }
}
