import Base

/// Messages in the form of Apple's push service, with an id as ZEGO's ZPNs adds it: a later message
/// with the same id replaces or removes the earlier one.
extension Command {
    private static let appleOptions = ["title", "sound", "badge", "custom-id"]

    /// Returns the message unchanged unless options add more than text.
    static func dressed(_ message: [UInt8]?, _ arguments: Arguments) throws -> [UInt8]? {
        let name = arguments["custom-id"]
        let isRetracting = arguments.has("retract")
        guard appleOptions.contains(where: { arguments[$0] != nil }) || isRetracting else {
            return message
        }
        let badge = try badge(arguments)
        let isShown = message != nil || arguments["title"] != nil
        try check(name, isRetracting: isRetracting, isShown: isShown)
        guard isShown || arguments["sound"] == nil else {
            throw CommandError.usage("--sound needs a message")
        }
        var payload = JSONWriter()
        payload.object { payload in
            payload.name("aps")
            payload.object { aps in
                alert(message, arguments["title"], into: &aps)
                if let sound = arguments["sound"] { aps.member("sound", sound) }
                if let badge { aps.member("badge", badge) }
                if name != nil { aps.member("mutable-content", 1) }
            }
            guard let name else { return }
            var own = JSONWriter()
            own.object { own in
                own.member("customId", name)
                if isRetracting { own.member("retract", true) }
            }
            payload.member("payload", own.text)
        }
        return payload.bytes
    }

    private static func check(_ name: String?, isRetracting: Bool, isShown: Bool) throws {
        guard let name else {
            if isRetracting { throw CommandError.usage("--retract needs --custom-id") }
            return
        }
        guard !name.isEmpty else { throw CommandError.usage("--custom-id is empty") }
        guard isRetracting != isShown else {
            throw CommandError.usage("give either a message or --retract with --custom-id")
        }
    }

    private static func alert(
        _ message: [UInt8]?, _ title: String?, into aps: inout JSONWriter
    ) {
        let body = message.map { String(decoding: $0, as: UTF8.self) }
        guard let title else {
            if let body { aps.member("alert", body) }
            return
        }
        aps.name("alert")
        aps.object { alert in
            alert.member("title", title)
            if let body { alert.member("body", body) }
        }
    }

    private static func badge(_ arguments: Arguments) throws -> Int? {
        guard let text = arguments["badge"] else { return nil }
        guard let badge = UInt32(decimalDigits: Array(text.utf8).span) else {
            throw CommandError.usage("--badge takes a number")
        }
        return Int(badge)
    }
}
