import Base

/// Sources that limit how often they ring.
extension Engine {
    /// Whether a message may ring. If the source rings once only, this call uses that up.
    mutating func mayRing(_ message: IncomingMessage) -> Bool {
        if isSilenced { return false }
        let key: String
        switch account.source.notifyMode {
        case .applePushNotification, .disabled: return true
        case .sendOnlyOne: key = ""
        case .sendOnePerConversation: key = self.key(of: message.chat)
        }
        if account.source.rung.count >= SourceState.rungLimit { account.source.rung = [] }
        return account.source.rung.insert(key).inserted
    }

    /// Neither messages nor calls of this source ring.
    var isSilenced: Bool { account.source.notifyMode == .disabled || account.source.sessionEnded }

    /// Another client of the account is in use, so nothing rings here.
    var isPaused: Bool { account.source.isPaused(at: now) }

    /// Counts a message that must not ring, unless the source is silenced altogether.
    mutating func count(in groupID: NotificationGroup.ID) {
        guard !isSilenced else { return }
        account.groups[groupID]?.totalCount += 1
        guard let group = account.groups[groupID], order.isVisible(groupID) else { return }
        enqueue(group, added: [], removed: [])
        flush(groupID)
    }

    /// Sets how the source may ring, and defaults for what its payloads omit.
    mutating func setSource(_ request: JSONNode) -> Outcome {
        do throws(SourceChange.Invalid) {
            apply(try SourceChange(request))
            return .ok
        } catch { return .badRequest(error.message) }
    }

    private func key(of chat: ChatReference) -> String {
        switch chat {
        case .id(let id): String(id.rawValue)
        case .conversation(let key): key
        }
    }

    /// A chat the user has looked at may ring again.
    mutating func openGate(of chatID: ChatID) {
        guard !account.source.rung.isEmpty else { return }
        account.source.rung.remove("")
        account.source.rung.remove(String(chatID.rawValue))
        let key = account.conversations.first { $0.value == chatID }?.key
        if let key { account.source.rung.remove(key) }
    }

    mutating func recordActivity() {
        account.source.lastActivity = now
        account.source.sessionEnded = false
    }

    /// Nil for a session that never ends, has ended, or has not begun.
    var sessionEnd: Double? {
        guard let timeout = account.source.sessionTimeout, account.source.lastActivity > 0,
            !account.source.sessionEnded
        else { return nil }
        return account.source.lastActivity + Double(timeout)
    }

    /// Whether the account counts as in use, and until when.
    package func session(now: Double) -> (isOnline: Bool, until: Double?) {
        let end = sessionEnd
        let isOnline = end.map { $0 > now } ?? (account.source.sessionTimeout == nil)
        return (isOnline && now >= account.source.pausedUntil, end)
    }

    /// Why clients are told of the end of a session.
    package static let endOfSession = "session_ended"

    /// Ends the session after long inactivity: the source is silent until the user returns.
    mutating func endSession() {
        guard let end = sessionEnd, end <= now else { return }
        account.source.sessionEnded = true
        sendNotice(.fetchRequired(reason: Self.endOfSession, details: []))
    }
}
