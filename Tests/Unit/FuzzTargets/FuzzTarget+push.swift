import Base
import Configuration
import DeliveryModel
import WebPush

/// What user agents and senders say.
extension FuzzTarget {
    /// Each line is a message, at a second of its own. What is answered must be JSON again.
    static func readClientMessages(_ bytes: [UInt8]) {
        var session = AutopushSession(at: .zero)
        for (second, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            let payload = Array(line)
            var reply: [UInt8] = []
            let action = session.received(
                payload.span, at: .seconds(second), reply: &reply
            ) { _ in }
            check(reply)
            reply = []
            switch action {
            case .identify(let userAgent):
                let fallback = UserAgentID(Bits128(high: 0, low: 0))
                _ = session.identified(as: userAgent ?? fallback, reply: &reply)
            case .register(let channel, _):
                _ = session.registered(channel, .failed, reply: &reply)
            case .unregister(let channel):
                _ = session.unregistered(channel, isDone: true, reply: &reply)
            default: continue
            }
            check(reply)
        }
    }

    private static func check(_ reply: [UInt8]) {
        guard !reply.isEmpty else { return }
        var cursor = JSONCursor()
        do {
            try cursor.skipValue(in: reply.span)
            try cursor.expectEnd(in: reply.span)
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
            fields.record(nameBytes.span, value.span)
        }
        let body = Array(lines[5])
        for kind in SubscriptionKind.allCases {
            for method in [PushRules.Method.post, .put] {
                let rules = PushRules(kind: kind, method: method)
                let request = try? PushRequest(fields, body: body, rules: rules)
                guard let headers = request?.content.headers, kind == .channel else { continue }
                let isClean = [headers.encryption, headers.cryptoKey].allSatisfy { value in
                    (value ?? []).allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 }
                }
                precondition(isClean, "a header that JSON would have to escape")
            }
        }
    }

    /// What goes on is JSON, names one device at most, and fits into a push.
    static func readNotification(_ bytes: [UInt8]) {
        guard let notification = try? MatrixNotification(bytes) else { return }
        let names = EndpointNames(
            origins: [Origin(url: "https://a.b")].compactMap(\.self), path: "/c")
        let numbers = Array(notification.devices.indices)
        // The same, too large to go on as it came.
        let spaces = [UInt8](repeating: 0x20, count: MatrixNotification.bodyLimit)
        for form in [notification, try? MatrixNotification(bytes + spaces)].compactMap(\.self) {
            for body in form.bodies(for: numbers) {
                precondition(body.count <= MatrixNotification.bodyLimit, "too large")
                precondition((try? JSONDocument(body)) != nil, "no JSON")
            }
        }
        for device in notification.devices { _ = names.token(of: device.pushkey) }
        let answer = MatrixRefusal.answer(rejecting: notification.devices.map(\.pushkey))
        precondition((try? JSONDocument(answer)) != nil, "no JSON")
    }

    static func readConfiguration(_ bytes: [UInt8]) {
        let file = ConfigurationInput.File(path: "file", bytes: bytes)
        var input = ConfigurationInput(environment: ["HOME": "/"], file: file)
        input.hostName = "host"
        guard let configuration = try? ServerConfiguration(input) else { return }
        var cursor = JSONCursor()
        var writer = JSONWriter()
        configuration.write(to: &writer)
        let json = writer.bytes
        precondition((try? cursor.skipValue(in: json.span)) != nil, "no JSON")
        _ = configuration.text
    }

    /// What happens to a device, its senders and a store; what was promised must be kept.
    static func live(_ bytes: [UInt8]) {
        if let broken = DeliveryWorld(Dice(bytes)).run(bytes.count) { preconditionFailure(broken) }
    }
}
