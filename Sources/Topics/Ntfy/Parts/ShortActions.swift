import Base

/// The form of buttons that people write: `view, Open, https://home.example, clear=true; copy, …`.
struct ShortActions {
    private struct Part {
        /// In small letters but for the name of a header or extra; empty if there is none.
        let key: String
        let value: String
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads all; one more than there may be is enough to see that.
    mutating func actions() throws(NtfyRefusal) -> [TopicAction] {
        var actions: [TopicAction] = []
        skipBlanks()
        while position < bytes.count, actions.count <= TopicAction.most {
            actions.append(try action(actions.count))
            skipBlanks()
        }
        return actions
    }

    private mutating func action(_ index: Int) throws(NtfyRefusal) -> TopicAction {
        var action = TopicAction()
        var kind: TopicAction.Kind?
        var number = 0
        repeat {
            let part = try part(index)
            switch part.key.isEmpty ? Self.key(number, kind) : part.key {
            case "action": kind = try ActionReader.kind(part.value, of: index)
            case "clear": action.clears = try flag(part.value, index)
            case let key:
                guard action.set(key, part.value) else {
                    throw ActionReader.refusal(index, key.isEmpty ? "unknown term" : "unknown key")
                }
            }
            number += 1
        } while take(UInt8(ascii: ","))
        _ = take(UInt8(ascii: ";"))
        guard let kind else { throw ActionReader.refusal(index, "no action") }
        action.kind = kind
        return action
    }

    /// What a part without a key is.
    private static func key(_ number: Int, _ kind: TopicAction.Kind?) -> String {
        switch (number, kind) {
        case (0, _): "action"
        case (1, _): "label"
        case (2, .view), (2, .http): "url"
        case (2, .copy): "value"
        default: ""
        }
    }

    private func flag(_ word: String, _ index: Int) throws(NtfyRefusal) -> Bool {
        switch word.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: throw ActionReader.refusal(index, "clear is neither true nor false")
        }
    }
}

/// Its letters.
extension ShortActions {
    /// Ends before a comma, a semicolon or the end.
    private mutating func part(_ index: Int) throws(NtfyRefusal) -> Part {
        let key = key() ?? ""
        skipBlanks()
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = position
            while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: ";") { position += 1 }
            var end = position
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            return Part(key: key, value: String(decoding: bytes[start..<end], as: UTF8.self))
        }
        guard let value = quoted(quote) else {
            throw ActionReader.refusal(index, "a quotation mark is missing")
        }
        skipBlanks()
        guard byte == nil || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") else {
            throw ActionReader.refusal(index, "text behind a quotation mark")
        }
        return Part(key: key, value: value)
    }

    /// The word before an equals sign; nil if a value begins here.
    private mutating func key() -> String? {
        skipBlanks()
        var end = position
        while end < bytes.count, bytes[end].isWordCharacter || bytes[end] == UInt8(ascii: ".") {
            end += 1
        }
        let word = bytes[position..<end]
        while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
        guard !word.isEmpty, end < bytes.count, bytes[end] == UInt8(ascii: "=") else { return nil }
        position = end + 1
        let key = String(decoding: word, as: UTF8.self)
        let prefix = key.prefix { $0 != "." }.lowercased()
        return prefix + key.dropFirst(prefix.utf8.count)
    }

    /// A backslash before the quotation mark makes it a letter of the text.
    private mutating func quoted(_ quote: UInt8) -> String? {
        var text: [UInt8] = []
        position += 1
        while let byte {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), self.byte == quote {
                position += 1
                text.append(quote)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ letter: UInt8) -> Bool {
        guard byte == letter else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte, Self.isBlank(byte) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}

extension TopicAction {
    /// False for a key that is none.
    fileprivate mutating func set(_ key: String, _ value: String) -> Bool {
        switch key {
        case "label": label = value
        case "url": url = value
        case "method": method = value
        case "body": body = value
        case "intent": intent = value
        case "value": self.value = value
        default:
            let name = String(key.drop { $0 != "." }.dropFirst())
            guard !name.isEmpty else { return false }
            switch key.dropLast(name.count) {
            case "headers.": headers.append(Pair(name, value))
            case "extras.": extras.append(Pair(name, value))
            default: return false
            }
        }
        return true
    }
}
