extension NotificationGroup {
    func write(to state: inout StateWriter) {
        state.number(id)
        state.byte(kind.rawValue)
        state.number(chatID.rawValue)
        state.count(totalCount)
        state.number(date)
        state.list(notifications) { $1.write(to: &$0) }
        state.list(sleeping) { $1.write(to: &$0) }
        state.list(pending) { state, item in
            item.notification.write(to: &state)
            state.number(item.settingsChatID.rawValue)
            state.number(item.soundID)
            state.time(item.due)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init(
            id: try state.number(), kind: try state.choice(),
            chatID: ChatID(try state.number()))
        totalCount = Int(try state.unsigned(atMost: UInt64(UInt32.max)))
        if state.version >= 4 { date = try state.date() }
        notifications = try state.list { state throws(StateReader.Damage) in
            try Notification(from: &state)
        }
        sleeping = try state.list { state throws(StateReader.Damage) in
            try Notification(from: &state)
        }
        pending = try state.list { state throws(StateReader.Damage) in
            PendingNotification(
                notification: try Notification(from: &state),
                settingsChatID: ChatID(try state.number()), soundID: try state.number(),
                due: try state.time())
        }
    }
}
