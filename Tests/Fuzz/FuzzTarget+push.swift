import Base
import WebPush

/// What user agents and senders say.
extension FuzzTarget {
    /// What is answered must be JSON again, whatever was asked.
    static func readClientMessage(_ bytes: [UInt8]) {
        guard let message = try? ClientMessage(bytes.span) else { return }
        var answer: [UInt8] = []
        switch message {
        case .hello(let hello):
            ServerMessage.appendHello(
                hello.userAgent ?? UserAgentID(Bits128(high: 0, low: 0)), hello.broadcasts,
                in: bytes.span, to: &answer)
        case .register(let channel?, let key):
            ServerMessage.appendRegistered(
                channel, key == .malformed ? .badKey : .failed, to: &answer)
        case .unregister(let channel):
            ServerMessage.appendUnregistered(channel, isDone: true, to: &answer)
        case .broadcastSubscription(let names):
            ServerMessage.appendBroadcasts(names, in: bytes.span, to: &answer)
        case .urgency(let least): ServerMessage.appendUrgency(least, to: &answer)
        case .acknowledgement(let updates): updates.forEach(in: bytes.span) { _ in }
        case .register(nil, _), .failureReport, .ping: break
        }
        var cursor = JSONCursor()
        guard !answer.isEmpty else { return }
        do {
            try cursor.skipValue(in: answer.span)
            try cursor.expectEnd(in: answer.span)
        } catch {
            preconditionFailure("an answer that is no JSON")
        }
    }

    /// A line of a push for each field, then the body.
    static func readPush(_ bytes: [UInt8]) {
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 5, omittingEmptySubsequences: false)
        guard lines.count == 6 else { return }
        var fields = PushFields()
        let names: [StaticString] = [
            "ttl", "topic", "content-encoding", "encryption", "crypto-key",
        ]
        for (name, line) in zip(names, lines) {
            var nameBytes: [UInt8] = []
            nameBytes.append(contentsOf: name)
            let value = Array(line)
            fields.note(nameBytes.span, value.span)
        }
        let body = Array(lines[5])
        for kind in SubscriptionKind.allCases {
            for method in [PushRules.Method.post, .put] {
                let rules = PushRules(kind: kind, method: method)
                let request = try? PushRequest(fields, body: body.span, rules: rules)
                guard let headers = request?.headers, kind == .channel else { continue }
                let isClean = [headers.encryption, headers.cryptoKey].allSatisfy { value in
                    (value ?? []).allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 }
                }
                precondition(isClean, "a header that JSON would have to escape")
            }
        }
    }
}
