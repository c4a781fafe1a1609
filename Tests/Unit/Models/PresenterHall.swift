import Desktop

/// What engine, screen and disk have, as plain lists.
struct PresenterHall {
    struct Note: Equatable {
        let id: Int
        let group: Int
        var version = 0

        /// The body by which it is found on the screen.
        var body: String { "#\(id).\(version)#" }
    }

    struct Call {
        let ticket: Int
        let note: Note
        let replaces: UInt32
        let tag: String?
        /// The server has it under this number, and has not answered yet.
        var number: UInt32?
    }

    var alive: [Note] = []
    /// The user dealt with them.
    var dismissed: Set<Int> = []
    /// What the engine was asked to remove.
    var wanted: [Int] = []
    private(set) var last = 0
    var visible: [UInt32: Note] = [:]
    private var tags: [UInt32: String] = [:]
    var call: Call?
    var identity: ServerIdentity?
    var records: [ShownKey: ShownRecord] = [:]
    private var highest: [String: [Int32: Int32]] = [:]
    /// How often each notification sounded.
    var sounded: [Int: Int] = [:]
    /// A call with sound failed, so the sound may come once more.
    private(set) var excused: Set<Int> = []
    var silentRepeats: [Int: Int] = [:]
    var kills = 0
    private var lastNumber: UInt32 = 0

    mutating func make(_ group: Int) -> Note {
        last += 1
        alive.append(Note(id: last, group: group))
        return Note(id: last, group: group)
    }

    /// The user is done with it; with a summary, with all that it counts.
    mutating func dismiss(_ note: Note) {
        guard note.id == 0 else {
            dismissed.insert(note.id)
            return
        }
        for record in records.values where record.place == .summarised {
            dismissed.insert(Int(record.key.notification))
        }
    }

    /// The call under way reaches the server; its answer still waits.
    mutating func deliver() {
        guard let call, call.number == nil else { return }
        let number = show(call)
        self.call?.number = number
    }

    func mayRefuse(_ call: Call) -> Bool { !visible.values.contains { $0.id == call.note.id } }

    mutating func excuse(_ call: Call) { excused.insert(call.note.id) }

    mutating func loseServer() {
        (visible, tags, call, identity, lastNumber) = ([:], [:], nil, nil, 0)
    }

    /// As servers do: a number replaces what has it, and a tag what has the same.
    mutating func show(_ call: Call) -> UInt32 {
        var number = call.replaces
        if number == 0 || visible[number] == nil && number > lastNumber {
            lastNumber += 1
            number = lastNumber
            for (other, tag) in tags where call.tag == tag {
                visible[other] = nil
                tags[other] = nil
            }
        }
        visible[number] = call.note
        tags[number] = call.tag
        return number
    }

    mutating func keep(_ record: ShownRecord) {
        records[record.key] = record
        let (source, group) = (record.key.source, record.key.group)
        let known = highest[source]?[group] ?? 0
        highest[source, default: [:]][group] = max(known, record.key.notification)
    }

    var history: ShownHistory {
        let sorted = records.values.sorted {
            ($0.key.group, $0.key.notification) < ($1.key.group, $1.key.notification)
        }
        return ShownHistory(records: sorted, highest: highest)
    }
}

/// The engine's updates as JSON.
extension PresenterHall {
    static func json(_ note: Note) -> String {
        """
        {"@type":"notification","id":\(note.id),"date":1700000000,"is_silent":false,
        "type":{"@type":"notificationTypeNewPushMessage","message_id":\(note.id << 20),
        "sender_name":"A","content":{"@type":"pushMessageContentText","text":"x"},
        "bellwire.presentation":{"title":"T","body":"\(note.body)"}}}
        """
    }

    static func change(_ group: Int, added: [Note] = [], removed: [Int] = []) -> String {
        """
        {"@type":"updateNotificationGroup","notification_group_id":\(group),"chat_id":\(group),
        "notification_sound_id":"\(added.isEmpty ? 0 : -1)",
        "added_notifications":[\(added.map(json).joined(separator: ","))],
        "removed_notification_ids":[\(removed.map(String.init).joined(separator: ","))]}
        """
    }

    static func edit(_ note: Note) -> String {
        """
        {"@type":"updateNotification","notification_group_id":\(note.group),
        "notification":\(json(note))}
        """
    }

    static func active(_ notes: [Note]) -> String {
        let groups = Set(notes.map(\.group)).sorted().map { group in
            """
            {"@type":"notificationGroup","id":\(group),"chat_id":\(group),
            "notifications":[\(notes.filter { $0.group == group }.map(json).joined(separator: ","))]}
            """
        }
        return """
            {"@type":"updateActiveNotifications","groups":[\(groups.joined(separator: ","))]}
            """
    }
}
