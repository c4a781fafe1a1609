import Base
import Notifications

/// Payloads of strangers, and state that a broken disk gives back.
extension FuzzTarget {
    static func readPayload(_ bytes: [UInt8], _ dialect: Dialect) {
        if dialect == .plain { readForm(bytes) }
        for policy in [ChatPolicy.strict, .learn] {
            var account = Account()
            account.policy = policy
            account.options = [
                OptionName.groupCountMax: .integer(3), OptionName.groupSizeMax: .integer(2),
            ]
            for id in [ChatID.user(1), .channel(88)] { account.chats[id] = Chat(id, title: "T") }
            var engine = Engine(account)
            let now = time(from: bytes)
            engine.start(now: now)
            // Several in a line, so that one can meet what another left.
            for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(16) {
                for form in forms(of: line) {
                    let payload = requested(form, dialect)
                    _ = engine.process(
                        payload: payload, dialect: dialect, level: .webpush, now: now + 1)
                    if let request = try? JSONDocument(payload).root {
                        let outcome = engine.handle(request, now: now + 2)
                        check(line: outcome?.answer(extra: request["@extra"]) ?? [])
                    }
                    _ = try? PushReceiver.id(of: payload)
                }
            }
            check(&engine, at: now + 100)
        }
    }

    /// The body of a form, whose lines belong together.
    private static func readForm(_ bytes: [UInt8]) {
        var fields = SenderFields()
        let name = Array("Content-Type".utf8)
        let type = Array("multipart/form-data; boundary=b".utf8)
        fields.record(name.span, type.span)
        _ = try? Dialect.plain.payload(of: bytes, &fields)
    }

    /// The payload that an unencrypted request becomes: with header fields, with a query,
    /// padded so that it is cut, or as it is.
    private static func requested(_ body: [UInt8], _ dialect: Dialect) -> [UInt8] {
        var fields = SenderFields()
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: body.count % 2 * 6_000)
        let value = Array(body.prefix(40))
        switch body.count % 3 {
        case 1: fields.record(query: value.span)
        case 2:
            for name in ["Title", "Tags", "Click", "X-GitHub-Event"] {
                let name = Array(name.utf8)
                fields.record(name.span, value.span)
            }
        default: break
        }
        guard let payload = try? dialect.payload(of: body + padding, &fields) else { return body }
        precondition(!dialect.isOfService || payload.count <= Dialect.cutLimit, "it was not cut")
        return payload
    }

    /// What can be told and stored, whatever has come in.
    private static func check(_ engine: inout Engine, at now: Double = 1_800_000_100) {
        engine.advance(to: now)
        for update in engine.takeUpdates() {
            var writer = JSONWriter()
            update.write(to: &writer)
            check(line: writer.bytes)
        }
        let state = engine.account.state
        guard let copy = try? Account(state: state) else {
            preconditionFailure("state that was written cannot be read")
        }
        precondition(copy == engine.account, "state that was written is read otherwise")
    }

    private static func check(line: [UInt8]) {
        guard !line.isEmpty else { return }
        precondition((try? JSONDocument(line)) != nil, "a line that is no JSON")
        precondition(line.allSatisfy { $0 >= 0x20 }, "a line that is broken")
    }

    /// The present, or behind what 31 and 32 bits hold.
    private static func time(from bytes: [UInt8]) -> Double {
        [1_800_000_000, 2_147_483_640, 4_294_967_290][bytes.count % 3]
    }

    static func readEntry(_ bytes: [UInt8]) {
        guard let entry = try? EngineEntry(bytes) else { return }
        precondition(entry.bytes == bytes, "an entry is written otherwise than it was read")
        var engine = Engine()
        engine.start(now: 1_800_000_000)
        _ = engine.perform(entry, now: 1_800_000_001)
        check(&engine)
    }

    static func readState(_ bytes: [UInt8]) {
        guard let account = try? Account(state: bytes) else { return }
        precondition(account.state == bytes, "state is written otherwise than it was read")
        var engine = Engine(account)
        engine.start(now: 1_800_000_000)
        check(&engine)
    }
}
