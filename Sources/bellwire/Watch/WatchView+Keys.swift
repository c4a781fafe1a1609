import Base
import Notifications
import System
import Terminal

/// What the keys do.
extension WatchView {
    /// What can be chosen after `m`, by number.
    private static let muteTimes = [15 * 60, 3_600, 8 * 3_600, 7 * 86_400, ChatList.forGood]

    mutating func typed(_ key: Key) -> [Action] {
        message = ""
        if key == .control("c") { return [.quit] }
        if key == .control("z") { return [.pause] }
        if key == .control("l") { return [.redraw] }
        switch mode {
        case .list: return typedInList(key)
        case .help, .link:
            mode = .list
            return []
        case .muting(let account, let chat, let title):
            return typedForMute(key, account, chat, title)
        case .replying(let account, let group, let notification, let title, let editor):
            return typedInReply(key, account, group, notification, title, editor)
        }
    }

    private mutating func typedInList(_ key: Key) -> [Action] {
        if list.take(key, page: page) { return [] }
        switch key {
        case .text("q"): return [.quit]
        case .text("?"): mode = .help
        case .enter, .text("o"): return open()
        case .text("d"), .delete: return dismiss()
        case .text("D"): return dismissGroup()
        case .text("m"): mute()
        case .text("u"): return unmute()
        case .text("r"): reply()
        default: break
        }
        return []
    }

    /// Requests are lost while the server is away.
    private mutating func send(
        _ request: EngineRequest, to account: Int, _ sentence: String
    ) -> [Action] {
        guard connections[account] == .open else {
            message = context.say(.notNow)
            return []
        }
        message = sentence
        return [.send(request, account: account)]
    }

    /// Nil if it may only be dismissed, which is said then.
    private mutating func usable()
        -> (account: Int, group: WatchedGroup, notification: WatchedNotification)?
    {
        guard let selected else { return nil }
        guard !selected.notification.facts.isClear else {
            message = context.say(.onlyDismiss)
            return nil
        }
        return selected
    }

    /// Does what a click on the notification does on a desktop.
    private mutating func open() -> [Action] {
        guard let (account, group, notification) = usable() else { return [] }
        let facts = notification.facts
        let request = EngineRequest.act(
            group: group.id, notification: facts.id, action: "default")
        let actions = send(request, to: account, context.say(.told))
        guard !actions.isEmpty, let link = ExternalLink(facts.link) else { return actions }
        guard engines[account].consent.allows(link.scheme) else {
            message = context.say(.linkRefused)
            return actions
        }
        perform(account, chat: group.chat, message: facts.messageID)
        guard opensLinks else {
            mode = .link(link.text)
            return actions
        }
        message = context.language.say(.opened, link.text)
        return [.open(link)] + actions
    }

    /// Nothing could open the link after all.
    mutating func notOpened(_ link: ExternalLink) { mode = .link(link.text) }

    private mutating func dismiss() -> [Action] {
        if case .group = list.selected { return dismissGroup() }
        guard let (account, group, notification) = selected else { return [] }
        return send(
            .remove(group: group.id, notification: notification.facts.id), to: account,
            context.say(.dismissed))
    }

    private mutating func dismissGroup() -> [Action] {
        guard let (account, group, _) = selected, let newest = group.newest else { return [] }
        return send(
            .removeGroup(group.id, through: newest.facts.id), to: account,
            context.language.say(.dismissedGroup, title(of: group.chat, in: account)))
    }

    private mutating func mute() {
        guard let (account, group, _) = selected else { return }
        guard group.chat != 0 else { return message = context.say(.noChat) }
        mode = .muting(
            account: account, chat: group.chat, title: title(of: group.chat, in: account))
    }

    private mutating func typedForMute(
        _ key: Key, _ account: Int, _ chat: Int64, _ title: String
    ) -> [Action] {
        guard case .text(let text) = key, let number = Int(text),
            (1...Self.muteTimes.count).contains(number)
        else {
            if key == .escape || key == .text("q") { mode = .list }
            return []
        }
        mode = .list
        return send(.mute(chat: chat, seconds: Self.muteTimes[number - 1]), to: account, "")
    }

    private mutating func unmute() -> [Action] {
        guard let (account, group, _) = selected else { return [] }
        guard group.chat != 0 else {
            message = context.say(.noChat)
            return []
        }
        // If all chats of its kind are muted, this chat becomes an exception.
        let seconds = engines[account].mutesKind(of: group.chat) ? 0 : nil
        return send(.mute(chat: group.chat, seconds: seconds), to: account, "")
    }

    private mutating func reply() {
        guard let (account, group, notification) = usable() else { return }
        let facts = notification.facts
        guard engines[account].consent.takesReplies, facts.kind == .message, facts.messageID != 0
        else {
            return message = context.say(.noReply)
        }
        mode = .replying(
            account: account, group: group.id, notification: facts.id,
            title: title(of: group.chat, in: account), LineEditor())
    }

    private mutating func typedInReply(
        _ key: Key, _ account: Int, _ group: Int32, _ notification: Int32, _ title: String,
        _ editor: LineEditor
    ) -> [Action] {
        var editor = editor
        switch key {
        case .escape: mode = .list
        case .enter where editor.text.allSatisfy(\.isWhitespace): mode = .list
        case .enter:
            let request = EngineRequest.act(
                group: group, notification: notification, action: "reply", text: editor.text)
            let actions = send(request, to: account, context.say(.replied))
            // What was typed stays until it can be sent.
            if !actions.isEmpty { mode = .list }
            return actions
        default:
            if editor.take(key) {
                mode = .replying(
                    account: account, group: group, notification: notification, title: title,
                    editor)
            }
        }
        return []
    }
}
