package import Base

extension Owed {
    mutating func code(_ coder: inout Coder) {
        coder.counter(&lastID)
        coder.flag(&keepsRaw)
        coder.list(&items)
        coder.require(items.map(\.id).isAscending && items.last?.id ?? 0 <= lastID)
    }
}

extension Owed.Item: Coded {
    package static var blank: Owed.Item {
        Owed.Item(id: 0, time: 0, content: .notice(.liveLocationsNeeded))
    }

    package mutating func code(_ coder: inout Coder) {
        coder.counter(&id)
        coder.time(&time)
        coder.kind(&content, content.number, Owed.Content.blank)
        switch content {
        case .action(var action):
            action.code(&coder)
            action.id = id
            content = .action(action)
        case .notice(var notice):
            notice.code(notice: &coder)
            content = .notice(notice)
        case .raw(var push):
            push.code(&coder)
            push.id = id
            content = .raw(push)
        }
    }
}

extension Owed.Content {
    fileprivate static func blank(_ number: UInt8) -> Self? {
        switch number {
        case 0: .action(ChosenAction(chatID: ChatID(0), messageID: .none, action: ""))
        case 1: .notice(.liveLocationsNeeded)
        case 2: .raw(RawPush(payload: [], encoding: "", received: 0))
        default: nil
        }
    }

    fileprivate var number: UInt8 {
        switch self {
        case .action: 0
        case .notice: 1
        case .raw: 2
        }
    }
}

extension ChosenAction {
    fileprivate mutating func code(_ coder: inout Coder) {
        chatID.code(&coder)
        messageID.code(&coder)
        coder.text(&action)
        coder.optional(&text)
        coder.jsonOrEmpty(&data)
        coder.text(&callID)
        coder.date(&date)
    }
}

extension RawPush {
    fileprivate mutating func code(_ coder: inout Coder) {
        coder.data(&payload)
        coder.text(&encoding)
        coder.date(&received)
    }
}

/// The updates that can be owed.
extension Update {
    private static func notice(_ number: UInt8) -> Update? {
        switch number {
        case 0: .fetchRequired(reason: "", details: [])
        case 1: .dcOption(dc: 0, address: "", getConfig: false)
        case 2: .liveLocationsNeeded
        default: nil
        }
    }

    private var noticeNumber: UInt8 {
        switch self {
        case .fetchRequired: 0
        case .dcOption: 1
        case .liveLocationsNeeded: 2
        default: preconditionFailure("this update is never owed")
        }
    }

    fileprivate mutating func code(notice coder: inout Coder) {
        coder.kind(&self, noticeNumber, Self.notice)
        switch self {
        case .fetchRequired(var reason, var details):
            coder.text(&reason)
            coder.list(&details)
            self = .fetchRequired(reason: reason, details: details)
        case .dcOption(let dc, let address, let getConfig):
            self = .dcOption(
                dc: coder.coded(dc), address: coder.coded(address),
                getConfig: coder.coded(getConfig))
        default: break
        }
    }
}

extension Update.Detail: Coded {
    package static var blank: Self { Self("", source: "") }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.json(&source)
    }
}
