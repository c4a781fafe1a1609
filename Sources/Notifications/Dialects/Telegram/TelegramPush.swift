package import Base

/// A Telegram payload, with the members that all keys share. It is a class, so that it is not
/// copied between readers.
final class TelegramPush {
    let key: String
    let arguments: [String]
    let fields: TelegramFields
    let custom: TelegramFields
    /// One for each date in the payload.
    let dates: [Int64]
    /// Nil if the payload names no chat.
    let chatID: ChatID?

    /// Nil for a payload that can be ignored: an empty one, or one for an account other than
    /// `accountID`, unless that is 0.
    init?(
        _ payload: [UInt8], for accountID: Int64, isTolerant: Bool
    ) throws(TelegramRefusal) {
        guard !payload.elementsEqual("{}".utf8) else { return nil }
        let document: JSONDocument
        do throws(JSONScanner.Failure) {
            document = try JSONDocument(payload, isTolerant: true)
        } catch {
            throw .malformed("Failed to parse payload as JSON object")
        }
        let receiver: Int64
        do throws(PushReceiver.Refusal) {
            receiver = try PushReceiver.id(of: document)
        } catch {
            throw .malformed(error.message)
        }
        guard receiver == 0 || accountID == 0 || receiver == accountID else { return nil }
        let outer = TelegramFields(node: document.root)
        let isWrapped = outer.has("data")
        fields = isWrapped ? try outer.object("data") : outer
        // TDLib uses `date` only if it is in a wrapper. The gateway's own time is preferred.
        let date = isWrapped && outer.has("date") ? [Int64(try outer.int("date"))] : []
        key = try fields.cleanText("loc_key", isTolerant: isTolerant)
        guard !key.isEmpty else { throw .malformed("Receive empty loc_key") }
        arguments = try fields.cleanTexts("loc_args", each: "loc_arg", isTolerant: isTolerant)
        custom = try fields.object("custom")
        let sent = try fields.long("google.sent_time")
        dates = sent > 0 ? date + [sent / 1000] : date
        // Few keys use the member `message`, but it is always checked, as TDLib does.
        _ = try fields.text("message")
        chatID = try Self.chat(custom, key, isTolerant: isTolerant)
    }

    /// All dates, with `date` even if there is no wrapper.
    var allDates: [Int64] {
        get throws(TelegramRefusal) {
            fields.has("date") ? dates + [Int64(try fields.int("date"))] : dates
        }
    }

    /// The chat that the payload names; of several, the last one counts.
    private static func chat(
        _ custom: TelegramFields, _ key: String, isTolerant: Bool
    ) throws(TelegramRefusal) -> ChatID? {
        var chatID: ChatID?
        if isTolerant, key.hasPrefix("CONTACT_JOINED"), custom.has("contact_id") {
            chatID = .user(try id(custom, "contact_id", ChatID.userLimit - 1, "user"))
        }
        if custom.has("from_id") {
            chatID = .user(try id(custom, "from_id", ChatID.userLimit - 1, "user"))
        }
        if custom.has("chat_id") {
            chatID = .basicGroup(
                try id(custom, "chat_id", ChatID.basicGroupLimit, "basic group"))
        }
        if custom.has("channel_id") {
            let id = try custom.long("channel_id")
            guard ChatID.isChannel(id) else {
                throw .malformed("Receive invalid supergroup identifier")
            }
            chatID = .channel(id)
        }
        if custom.has("encryption_id") {
            let secret = try custom.int("encryption_id")
            guard secret != 0 else { throw .malformed("Receive invalid secret chat identifier") }
            chatID = .secretChat(secret)
        }
        return chatID
    }

    private static func id(
        _ custom: TelegramFields, _ name: StaticString, _ limit: Int64, _ kind: String
    ) throws(TelegramRefusal) -> Int64 {
        let id = try custom.long(name)
        guard id > 0, id <= limit else { throw .malformed("Receive invalid \(kind) identifier") }
        return id
    }

    /// The sender's name, if the arguments lack it.
    var readyName: String {
        Self.first(["title", "line1"], of: fields) ?? peerName
    }

    /// The text to show, if the arguments lack it.
    var readyText: String? { Self.first(["description", "line2", "text"], of: fields) }

    /// Whether it carries a text to show, whatever its key.
    var isReady: Bool { readyText != nil || Self.first(["title", "line1"], of: fields) != nil }

    /// The payload's description of the peer, without the access hash.
    private var peerName: String {
        let peer = TelegramFields(node: custom["mtpeer"])
        if let name = Self.first(["name", "title"], of: peer) { return name }
        let names = [peer["first_name"]?.text, peer["last_name"]?.text]
            .compactMap { $0 }.filter { !$0.isEmpty }
        if !names.isEmpty { return names.joined(separator: " ") }
        return Self.first(["username"], of: peer) ?? ""
    }

    private static func first(_ names: [StaticString], of fields: TelegramFields) -> String? {
        for name in names {
            if let text = fields[name]?.text, !text.isEmpty { return text }
        }
        return nil
    }
}

/// Finds out for whom a payload is, before anything else of it is read.
package enum PushReceiver {
    package struct Refusal: Error, Equatable, Sendable {
        package let message: String
    }

    /// 0 for everybody; else a user, or the identifier of the key that encrypts the payload.
    package static func id(of payload: [UInt8]) throws(Refusal) -> Int64 {
        if payload.elementsEqual("{}".utf8) { return 0 }
        let document: JSONDocument
        do throws(JSONScanner.Failure) {
            document = try JSONDocument(payload, isTolerant: true)
        } catch {
            throw Refusal(message: "Failed to parse payload as JSON object")
        }
        return try id(of: document)
    }

    static func id(of document: JSONDocument) throws(Refusal) -> Int64 {
        guard document.root.kind == .object else { throw Refusal(message: "Expected JSON object") }
        do throws(TelegramRefusal) {
            let outer = TelegramFields(node: document.root)
            let fields = outer.has("data") ? try outer.object("data") : outer
            if let encrypted = try fields.text("p") { return try keyID(of: encrypted) }
            guard fields.has("user_id") else { return 0 }
            let user = try fields.long("user_id")
            guard user > 0 else { throw .malformed("Receive wrong user_id \(user)") }
            return user
        } catch {
            throw Refusal(message: error.message)
        }
    }

    /// The answer to `getPushReceiverId`.
    package static func answer(to request: JSONNode) -> Outcome {
        do throws(Refusal) {
            let id = try id(of: Array((request["payload"]?.text ?? "").utf8))
            return .object("{\"@type\":\"pushReceiverId\",\"id\":\"\(id)\"}")
        } catch {
            return .error(code: 400, message: error.message)
        }
    }

    /// The first 8 bytes, least significant first.
    private static func keyID(of encrypted: String) throws(TelegramRefusal) -> Int64 {
        let head = Array(encrypted.utf8.prefix(headLength))
        guard head.count == headLength else { throw .malformed("Encrypted payload is too small") }
        guard let bytes = Base64URL.decode(head.span) else {
            throw .malformed("Failed to base64url-decode payload")
        }
        return bytes[..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The base64 letters that hold the key's identifier.
    private static let headLength = 12
}
