import Base

/// Messages with a name, as ZEGO's ZPNs sends them: a later one takes the place of the one before
/// it, or takes it back.
extension Command {
    /// The message as it is, unless it shall have a name.
    static func named(_ message: [UInt8]?, _ arguments: Arguments) throws -> [UInt8]? {
        guard let name = arguments["custom-id"] else {
            if arguments.has("retract") {
                throw CommandError.usage("--retract needs --custom-id")
            }
            return message
        }
        guard !name.isEmpty else { throw CommandError.usage("--custom-id is empty") }
        let isRetracting = arguments.has("retract")
        guard isRetracting == (message == nil) else {
            throw CommandError.usage("say either a message or --retract with --custom-id")
        }
        var own = JSONWriter()
        own.object { own in
            own.member("customId", name)
            if isRetracting { own.member("retract", true) }
        }
        var payload = JSONWriter()
        payload.object { payload in
            payload.name("aps")
            payload.object { aps in
                if let message { aps.member("alert", String(decoding: message, as: UTF8.self)) }
                aps.member("mutable-content", 1)
            }
            payload.member("payload", own.text)
        }
        return payload.bytes
    }
}
