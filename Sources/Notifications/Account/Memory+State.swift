package import Base

extension OptionValue: Coded {
    package static var blank: OptionValue { .empty }

    private static func blank(_ number: UInt8) -> OptionValue? {
        switch number {
        case 0: .empty
        case 1: .boolean(false)
        case 2: .integer(0)
        case 3: .string("")
        default: nil
        }
    }

    private var number: UInt8 {
        switch self {
        case .empty: 0
        case .boolean: 1
        case .integer: 2
        case .string: 3
        }
    }

    package mutating func code(_ coder: inout Coder) {
        coder.kind(&self, number, Self.blank)
        switch self {
        case .empty: break
        case .boolean(let value): self = .boolean(coder.coded(value))
        case .integer(let value): self = .integer(coder.coded(value))
        case .string(let value): self = .string(coder.coded(value))
        }
    }
}

extension NamedNotification: Coded {
    package static var blank: NamedNotification {
        NamedNotification(groupID: 0, notificationID: 0, order: nil, date: 0, level: .clear)
    }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&groupID)
        coder.number(&notificationID)
        coder.optional(&order)
        coder.date(&date)
        coder.choice(&level)
    }
}

extension RingingCall: Coded {
    package static var blank: RingingCall {
        RingingCall(chatID: ChatID(0), groupID: 0, notificationID: 0, level: .clear)
    }

    package mutating func code(_ coder: inout Coder) {
        chatID.code(&coder)
        coder.number(&groupID)
        coder.number(&notificationID)
        coder.optional(&deadline)
        coder.text(&callerName)
        coder.text(&missedText)
        coder.choice(&level)
        coder.jsonOrEmpty(&data)
        coder.flag(&isTrusted)
    }
}

extension RegisteredDevice: Coded {
    package static var blank: RegisteredDevice {
        RegisteredDevice(tokenType: 0, token: "", otherUserIDs: [], isSandbox: false)
    }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&tokenType)
        coder.text(&token)
        coder.list(&otherUserIDs)
        coder.flag(&isSandbox)
        coder.optional(&encryption)
    }
}

extension RegisteredDevice.Encryption: Coded {
    package static var blank: Self { Self(keyID: 0, secret: []) }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&keyID)
        coder.data(&secret)
    }
}

extension SourceState {
    mutating func code(_ coder: inout Coder) {
        coder.choice(&notifyMode)
        coder.optional(&sessionTimeout)
        coder.flag(&isMobile)
        presentation.code(&coder)
        coder.flag(&sessionEnded)
        coder.time(&lastActivity)
        coder.time(&pausedUntil)
        var rung = self.rung.sorted()
        coder.list(&rung)
        coder.require(rung.isAscending)
        if coder.isReading { self.rung = Set(rung) }
        coder.time(&quietUntil)
    }
}

extension SourcePresentation {
    fileprivate mutating func code(_ coder: inout Coder) {
        coder.text(&sound)
        coder.text(&sentence)
        coder.text(&defaultAction)
        coder.list(&arguments)
        coder.flag(&showsBadge)
        coder.map(&sentences)
    }
}
