import Base
import Dialects
import Notifications

/// Payloads of strangers, and state that a broken disk gives back.
extension FuzzTarget {
    static func readPayload(_ bytes: [UInt8], _ dialect: Dialect) {
        for policy in [ChatPolicy.strict, .learn] {
            var account = Account()
            account.policy = policy
            account.options = [
                OptionName.groupCountMax: .integer(3), OptionName.groupSizeMax: .integer(2),
            ]
            for id in [ChatID.user(1), .channel(88)] { account.chats[id] = Chat(id, title: "T") }
            var engine = Engine(account)
            engine.start(now: 1_800_000_000)
            // Several in a line, so that one can meet what another left.
            for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(16) {
                let payload = Array(line)
                _ = engine.process(
                    payload: payload, dialect: dialect, level: .webpush, now: 1_800_000_001)
                if let request = try? JSONDocument(payload).root {
                    _ = engine.handle(request, now: 1_800_000_002)
                }
                _ = try? PushReceiver.id(of: payload)
            }
            check(&engine)
        }
    }

    /// What can be told and stored, whatever has come in.
    private static func check(_ engine: inout Engine) {
        engine.advance(to: 1_800_000_100)
        var writer = JSONWriter()
        for update in engine.takeUpdates() { update.write(to: &writer) }
        let state = engine.account.state
        guard let copy = try? Account(state: state) else {
            preconditionFailure("state that was written cannot be read")
        }
        precondition(copy == engine.account, "state that was written is read otherwise")
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
        var engine = Engine(account)
        engine.start(now: 1_800_000_000)
        check(&engine)
    }
}
