import Base

/// Reads members by TDLib's rules, with TDLib's error texts.
struct TelegramFields {
    let node: JSONNode?

    typealias Refusal = TelegramRefusal

    subscript(_ name: StaticString) -> JSONNode? { node?[name] }

    func has(_ name: StaticString) -> Bool { node?.has(name) ?? false }

    /// A string, or a number as written; nil if absent.
    func text(_ name: StaticString) throws(Refusal) -> String? {
        guard let value = node?[name] else { return nil }
        guard let text = value.textOrNumber else {
            throw .malformed("Field \"\(name)\" must be of type String")
        }
        return text
    }

    func requiredText(_ name: StaticString) throws(Refusal) -> String {
        guard let text = try text(name) else { throw .malformed("Can't find field \"\(name)\"") }
        return text
    }

    /// A number, or a string that holds one; 0 if absent.
    func long(_ name: StaticString) throws(Refusal) -> Int64 {
        guard let value = node?[name] else { return 0 }
        guard value.kind == .number || value.kind == .string else {
            throw .malformed("Field \"\(name)\" must be a Number")
        }
        guard let number = value.integer else {
            throw .malformed("Field \"\(name)\" must be a valid Number")
        }
        return number
    }

    func int(_ name: StaticString) throws(Refusal) -> Int32 {
        guard let number = Int32(exactly: try long(name)) else {
            throw .malformed("Field \"\(name)\" must be a valid Number")
        }
        return number
    }

    func object(_ name: StaticString) throws(Refusal) -> TelegramFields {
        guard let value = node?[name] else { return TelegramFields(node: nil) }
        guard value.kind == .object else {
            throw .malformed("Field \"\(name)\" must be of type Object")
        }
        return TelegramFields(node: value)
    }

    func cleanText(_ name: StaticString, isTolerant: Bool) throws(Refusal) -> String {
        let text = try requiredText(name)
        guard TelegramText.isSuspicious(text), let value = node?[name] else { return text }
        return try TelegramText(value, text: text, name, isTolerant: isTolerant).text
    }

    func cleanTexts(
        _ name: StaticString, each: StaticString, isTolerant: Bool
    ) throws(Refusal) -> [String] {
        guard let value = node?[name] else { return [] }
        guard value.kind == .array else {
            throw .malformed("Field \"\(name)\" must be of type Array")
        }
        guard var texts = value.texts else { throw .malformed("Expected \(each) as a String") }
        for (index, text) in texts.enumerated() where TelegramText.isSuspicious(text) {
            texts[index] = try TelegramText(
                value.elements[index], text: text, each, isTolerant: isTolerant
            ).text
        }
        return texts
    }
}

/// Why a payload is refused: with 400 it is malformed, with 406 its news must be fetched.
struct TelegramRefusal: Error, Equatable {
    let code: Int
    let message: String

    static func malformed(_ message: String) -> TelegramRefusal {
        TelegramRefusal(code: 400, message: message)
    }

    static func unsupported(_ message: String) -> TelegramRefusal {
        TelegramRefusal(code: 406, message: message)
    }
}
