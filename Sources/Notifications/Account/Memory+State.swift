extension OptionValue {
    func write(to state: inout StateWriter) {
        switch self {
        case .empty: state.byte(0)
        case .boolean(let value):
            state.byte(1)
            state.flag(value)
        case .integer(let value):
            state.byte(2)
            state.number(value)
        case .string(let value):
            state.byte(3)
            state.text(value)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        switch try state.byte() {
        case 0: self = .empty
        case 1: self = .boolean(try state.flag())
        case 2: self = .integer(try state.number())
        case 3: self = .string(try state.text())
        default: throw StateReader.Damage()
        }
    }
}

extension NamedNotification {
    func write(to state: inout StateWriter) {
        state.number(groupID)
        state.number(notificationID)
        state.optional(order) { $0.number($1) }
        state.number(date)
        state.byte(level.rawValue)
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        groupID = try state.number()
        notificationID = try state.number()
        order = try state.optional { state throws(StateReader.Damage) in try state.number() }
        date = try state.date()
        level = try state.choice()
    }
}

extension RingingCall {
    func write(to state: inout StateWriter) {
        state.number(chatID.rawValue)
        state.number(groupID)
        state.number(notificationID)
        state.optional(deadline) { $0.time($1) }
        state.text(callerName)
        state.text(missedText)
        state.byte(level.rawValue)
        state.text(data)
        state.flag(isTrusted)
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        chatID = ChatID(try state.number())
        groupID = try state.number()
        notificationID = try state.number()
        deadline = try state.optional { state throws(StateReader.Damage) in try state.time() }
        callerName = try state.text()
        missedText = try state.text()
        level = try state.choice()
        data = try state.jsonOrEmpty()
        isTrusted = try state.flag()
    }
}

extension RegisteredDevice {
    func write(to state: inout StateWriter) {
        state.number(tokenType)
        state.text(token)
        state.list(otherUserIDs) { $0.number($1) }
        state.flag(isSandbox)
        state.optional(encryption) { state, encryption in
            state.number(encryption.keyID)
            state.data(encryption.secret)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        tokenType = try state.number()
        token = try state.text()
        otherUserIDs = try state.list { state throws(StateReader.Damage) in try state.number() }
        isSandbox = try state.flag()
        encryption = try state.optional { state throws(StateReader.Damage) in
            Encryption(keyID: try state.number(), secret: try state.data())
        }
    }
}

extension SourceState {
    func write(to state: inout StateWriter) {
        state.byte(notifyMode.rawValue)
        state.optional(sessionTimeout) { $0.number($1) }
        state.flag(isMobile)
        presentation.write(to: &state)
        state.flag(sessionEnded)
        state.time(lastActivity)
        state.time(pausedUntil)
        state.list(rung.sorted()) { $0.text($1) }
        state.time(quietUntil)
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init()
        notifyMode = try state.choice()
        sessionTimeout = try state.optional { state throws(StateReader.Damage) in
            try state.number()
        }
        isMobile = try state.flag()
        presentation = try SourcePresentation(from: &state)
        sessionEnded = try state.flag()
        lastActivity = try state.time()
        pausedUntil = try state.time()
        rung = Set(try state.list { state throws(StateReader.Damage) in try state.text() })
        quietUntil = try state.time()
    }
}

extension SourcePresentation {
    fileprivate func write(to state: inout StateWriter) {
        for text in [sound, sentence, defaultAction] { state.text(text) }
        state.list(arguments) { $0.text($1) }
        state.flag(showsBadge)
        state.list(sentences.sorted { $0.key < $1.key }) { state, sentence in
            state.text(sentence.key)
            state.text(sentence.value)
        }
    }

    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init()
        sound = try state.text()
        sentence = try state.text()
        defaultAction = try state.text()
        arguments = try state.list { state throws(StateReader.Damage) in try state.text() }
        showsBadge = try state.flag()
        for _ in 0..<(try state.count()) { sentences[try state.text()] = try state.text() }
    }
}
