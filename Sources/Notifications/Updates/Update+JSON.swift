package import Base

/// Updates as TDLib's JSON interface writes them.
extension Update {
    package func write(to writer: inout JSONWriter) {
        if case .changed(let json) = self { return writer.raw(json) }
        writer.object { members(&$0) }
    }

    private func members(_ writer: inout JSONWriter) {
        switch self {
        case .activeNotifications(let groups):
            writer.member("@type", "updateActiveNotifications")
            writer.name("groups")
            writer.array { writer in for group in groups { group.write(to: &writer) } }
        case .group(let update): update.members(&writer)
        case .notification(let groupID, let notification):
            writer.member("@type", "updateNotification")
            writer.member("notification_group_id", Int(groupID))
            writer.name("notification")
            writer.notification(notification)
        case .havePending(let delayed, let unreceived):
            writer.member("@type", "updateHavePendingNotifications")
            writer.member("have_delayed_notifications", delayed)
            writer.member("have_unreceived_notifications", unreceived)
        case .option(let name, let value):
            writer.member("@type", "updateOption")
            writer.member("name", name)
            writer.name("value")
            writer.option(value)
        case .chatReadInbox(let chatID, let lastRead):
            writer.member("@type", "updateChatReadInbox")
            writer.member("chat_id", Int(chatID.rawValue))
            writer.member("last_read_inbox_message_id", Int(lastRead.rawValue))
            // After a push has marked messages read, none of the known ones is unread.
            writer.member("unread_count", 0)
        default: ownMembers(&writer)
        }
    }

    /// Updates that TDLib does not have.
    private func ownMembers(_ writer: inout JSONWriter) {
        switch self {
        case .fetchRequired(let reason, let details):
            writer.member("@type", "bellwire.updateFetchRequired")
            writer.member("reason", reason)
            for detail in details {
                writer.name(text: detail.name)
                writer.foreign(detail.source[...])
            }
        case .unreadBadge(let count, let missedCalls):
            writer.member("@type", "bellwire.updateUnreadBadge")
            writer.member("count", Int(count))
            if let missedCalls { writer.member("missed_calls", Int(missedCalls)) }
        case .dcOption(let dc, let address, let getConfig):
            writer.member("@type", "bellwire.updateDcOption")
            writer.member("dc", Int(dc))
            writer.member("address", address)
            writer.member("get_config", getConfig)
        case .liveLocationsNeeded: writer.member("@type", "bellwire.updateLiveLocationsNeeded")
        case .sessionRevoked: writer.member("@type", "bellwire.updateSessionRevoked")
        case .consent(let consent):
            writer.member("@type", "bellwire.updateSource")
            writer.member("replies", consent.takesReplies)
            writer.name("link_schemes")
            writer.array { writer in
                for scheme in consent.linkSchemes.sorted() { writer.string(scheme) }
            }
        case .notificationAction(let action): action.members(&writer)
        case .actionExpired(let id):
            writer.member("@type", "bellwire.updateActionExpired")
            writer.member("id", int64: id)
        case .rawPush(let push):
            writer.member("@type", "bellwire.updateRawPush")
            writer.member("id", int64: push.id)
            writer.member("payload", Base64URL.text(push.payload.span))
            writer.member("encoding", push.encoding)
            writer.member("received", Int(push.received))
        default: preconditionFailure("neither function writes this update")
        }
    }
}

extension ChosenAction {
    fileprivate func members(_ writer: inout JSONWriter) {
        writer.member("@type", "bellwire.updateNotificationAction")
        writer.member("id", int64: id)
        write(to: &writer)
        if !service.isEmpty { writer.member("service", service) }
        if !activationToken.isEmpty { writer.member("activation_token", activationToken) }
    }

    /// The members that updates and callbacks share.
    package func write(to writer: inout JSONWriter) {
        writer.member("chat_id", Int(chatID.rawValue))
        writer.member("message_id", Int(messageID.rawValue))
        writer.member("action", action)
        writer.member("date", Int(date))
        if let text { writer.member("text", text) }
        if !data.isEmpty { writer.member("data", json: data) }
        if !callID.isEmpty { writer.member("call_id", callID) }
    }
}

extension Update.ActiveGroup {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("@type", "notificationGroup")
            writer.member("id", Int(id))
            writer.name("type")
            writer.groupType(kind)
            writer.member("chat_id", Int(chatID.rawValue))
            if !chatTitle.isEmpty { writer.member("bellwire.chat_title", chatTitle) }
            writer.member("total_count", totalCount)
            writer.name("notifications")
            writer.array { writer in for item in notifications { writer.notification(item) } }
        }
    }
}

extension GroupUpdate {
    fileprivate func members(_ writer: inout JSONWriter) {
        writer.member("@type", "updateNotificationGroup")
        writer.member("notification_group_id", Int(groupID))
        writer.name("type")
        writer.groupType(kind)
        writer.member("chat_id", Int(chatID.rawValue))
        if !chatTitle.isEmpty { writer.member("bellwire.chat_title", chatTitle) }
        writer.member("notification_settings_chat_id", Int(settingsChatID.rawValue))
        writer.member("notification_sound_id", int64: soundID)
        writer.member("total_count", totalCount)
        writer.name("added_notifications")
        writer.array { writer in for item in added { writer.notification(item) } }
        writer.name("removed_notification_ids")
        writer.array { writer in for id in removed { writer.number(Int(id)) } }
    }
}
