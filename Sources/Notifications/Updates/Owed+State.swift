extension Owed {
    func write(to state: inout StateWriter) {
        state.number(lastID)
        state.flag(keepsRaw)
        state.list(items) { state, item in
            state.number(item.id)
            state.time(item.time)
            switch item.content {
            case .action(let action):
                state.byte(0)
                action.write(to: &state)
            case .notice(let update):
                state.byte(1)
                update.write(to: &state)
            case .raw(let push):
                state.byte(2)
                state.data(push.payload)
                state.text(push.encoding)
                state.number(push.received)
            }
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        lastID = try state.counter()
        keepsRaw = try state.flag()
        items = try state.list { state throws(StateReader.Damage) in try Item(from: &state) }
        let ids = items.map(\.id)
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }), ids.last ?? 0 <= lastID else {
            throw StateReader.Damage()
        }
    }
}

extension Owed.Item {
    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        id = try state.counter()
        time = try state.time()
        switch try state.byte() {
        case 0:
            var action = try ChosenAction(from: &state)
            action.id = id
            content = .action(action)
        case 1: content = .notice(try Update(notice: &state))
        case 2:
            var push = RawPush(
                payload: try state.data(), encoding: try state.text(),
                received: try state.date())
            push.id = id
            content = .raw(push)
        default: throw StateReader.Damage()
        }
    }
}

extension ChosenAction {
    fileprivate func write(to state: inout StateWriter) {
        state.number(chatID.rawValue)
        state.number(messageID.rawValue)
        state.text(action)
        state.optional(text) { $0.text($1) }
        state.text(data)
        state.text(callID)
        state.number(date)
    }

    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init(
            chatID: ChatID(try state.number()), messageID: ChatMessageID(try state.number()),
            action: try state.text())
        text = try state.optional { state throws(StateReader.Damage) in try state.text() }
        data = try state.jsonOrEmpty()
        callID = try state.text()
        date = try state.date()
    }
}

/// The updates that can be owed.
extension Update {
    fileprivate func write(to state: inout StateWriter) {
        switch self {
        case .fetchRequired(let reason, let details):
            state.byte(0)
            state.text(reason)
            state.list(details) { state, detail in
                state.text(detail.name)
                state.text(detail.source)
            }
        case .dcOption(let dc, let address, let getConfig):
            state.byte(1)
            state.number(dc)
            state.text(address)
            state.flag(getConfig)
        case .liveLocationsNeeded: state.byte(2)
        default: preconditionFailure("this update is never owed")
        }
    }

    fileprivate init(notice state: inout StateReader) throws(StateReader.Damage) {
        switch try state.byte() {
        case 0:
            self = .fetchRequired(
                reason: try state.text(),
                details: try state.list { state throws(StateReader.Damage) in
                    Detail(
                        try state.text(), source: String(decoding: try state.json(), as: UTF8.self))
                })
        case 1:
            self = .dcOption(
                dc: try state.number(), address: try state.text(), getConfig: try state.flag())
        case 2: self = .liveLocationsNeeded
        default: throw StateReader.Damage()
        }
    }
}
