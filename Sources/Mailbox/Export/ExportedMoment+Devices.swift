import Base
import Crypto
import Delivery
import SQLite
import WebPush

/// Devices, user agents, their endpoints, and what waits for them. Times are seconds since 1970.
extension ExportedMoment {
    /// Devices, or tokens for topics, which belong to no device.
    func devices(
        areTokens: Bool, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        let select = try connection.statement(
            """
            SELECT row, name, created, last_seen, unconfirmed, receive_only FROM credential
            WHERE owner = ?1 AND (?2 IS NULL OR row = ?2) AND row > ?3
            AND (sealed_terms IS NOT NULL) = ?5 ORDER BY row LIMIT ?4
            """, owner, credential, cursor.row, Int64(limit), Int64(areTokens ? 1 : 0))
        return try collect(select, limit, &cursor) { select, writer in
            writer.member("id", Int(select.integer(0)))
            writer.member("name", select.text(1))
            writer.member("created", Int(select.integer(2) / 1_000))
            if !select.isNull(3) { writer.member("last_seen", Int(select.integer(3) / 1_000)) }
            if select.integer(4) != 0 { writer.member("unconfirmed", true) }
            if select.integer(5) != 0 { writer.member("receive_only", true) }
        }
    }

    func userAgents(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        let select = try connection.statement(
            """
            SELECT row, credential, created, last_seen FROM device
            WHERE owner = ?1 AND (?2 IS NULL OR credential = ?2) AND row > ?3 AND NOT EXISTS
            (SELECT 1 FROM registration WHERE registration.device = device.row)
            ORDER BY row LIMIT ?4
            """, owner, credential, cursor.row, Int64(limit))
        return try collect(select, limit, &cursor) { select, writer in
            writer.member("id", Int(select.integer(0)))
            if !select.isNull(1) { writer.member("device", Int(select.integer(1))) }
            writer.member("created", Int(select.integer(2) / 1_000))
            writer.member("last_seen", Int(select.integer(3) / 1_000))
        }
    }

    /// Each row as an object. The first column is the row's number.
    func collect(
        _ select: borrowing StoreStatement, _ limit: Int, _ cursor: inout ExportCursor,
        _ members: (borrowing StoreStatement, inout JSONWriter) -> Void
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        var writer = JSONWriter()
        while try select.step() {
            cursor.row = select.integer(0)
            writer.removeAll()
            writer.object { members(select, &$0) }
            step.items.append(writer.bytes)
        }
        step.visited = step.items.count
        step.isLast = step.items.count < limit
        return step
    }

    func endpoints(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        let select = try connection.statement(
            """
            SELECT row, device, kind, sender, key_hash, channel, created FROM subscription
            WHERE device = ?1 AND row > ?2 ORDER BY row LIMIT ?3
            """, holder.row, cursor.row, Int64(limit))
        return try collect(select, limit, &cursor) { select, writer in
            writer.member("id", Int(select.integer(0)))
            holder.write(to: &writer)
            writer.member("created", Int(select.integer(6) / 1_000))
            guard let endpoint = SubscriptionRows.endpoint(select) else {
                return writer.member("unreadable", true)
            }
            writer.member("kind", "\(endpoint.kind)")
            if endpoint.kind == .channel, let id = select.withBytes(5, { ChannelID($0) }) {
                var text: [UInt8] = []
                id.bits.appendUUID(to: &text)
                writer.member("channel", String(decoding: text, as: UTF8.self))
            }
            switch endpoint.sender {
            case .anyone: writer.member("sender", "anyone")
            case .firstKey: writer.member("sender", "the first VAPID key")
            case .key(let hash):
                writer.member("sender", "one VAPID key")
                writer.member("vapid_key_hash", Base64URL.text(hash.bytes.span))
            }
        }.items
    }

    /// The bodies are as they came: encrypted, if the application holds the keys.
    func messages(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        let select = try connection.statement(
            """
            SELECT \(PageDraft.columns) FROM message
            WHERE device = ?1 AND sequence > ?2 AND expires > ?3 ORDER BY sequence LIMIT ?4
            """, holder.row, cursor.row, store.now.milliseconds, Int64(limit))
        let request = PageRequest(device: holder.row, sequence: cursor.row, position: nil)
        var draft = PageDraft(request: request, through: .max, besides: store.setAside)
        while !draft.isFull(within: store.limits), try select.step() {
            draft.add(select, unsealing: &sealer)
            cursor.row = select.integer(1)
        }
        let page = draft.page(isLast: true)
        return page.messages.map { item($0, of: holder) }
            + (page.damaged == 0 ? [] : [Self.unreadable("messages", Int64(page.damaged))])
    }

    private func item(_ message: Message, of holder: Holder) -> [UInt8] {
        let content = message.content
        var writer = JSONWriter(capacity: 512 + content.body.count * 2)
        writer.object { writer in
            writer.member("id", Base64URL.text(message.id.bytes.span))
            holder.write(to: &writer)
            writer.member("endpoint", Int(message.address.subscription))
            writer.member("received", Int(message.arrival / 1_000))
            writer.member("expires", seconds(message.expiry))
            writer.member("ttl", Int(content.ttl))
            writer.member("urgency", content.urgency.rawValue)
            if let topic = content.topic { writer.member("topic", topic.text) }
            if let headers = content.headers {
                writer.member("encoding", headers.encoding.rawValue)
            }
            if let level = message.level { writer.member("protection", level.name) }
            for (name, field) in [
                ("encryption", content.headers?.encryption ?? []),
                ("crypto_key", content.headers?.cryptoKey ?? []),
            ] where !field.isEmpty {
                writer.member(text: name, String(decoding: field, as: UTF8.self))
            }
            writer.member("body", Base64.text(content.body.span))
        }
        return writer.bytes
    }

    func signals(
        of holder: Holder, from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        guard holder.registration != nil, cursor.row == 0 else { return [] }
        cursor.row = 1
        let signals = try FetchSignalRows.load(device: holder.row, on: connection)
        return [signals.inFlight, signals.waiting].compactMap(\.self).map { signal in
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("id", Base64URL.text(signal.id.bytes.span))
                holder.write(to: &writer)
                writer.member("count", signal.count)
                if let version = signal.version { writer.member("version", "\(version)") }
                writer.member("received", Int(signal.arrival / 1_000))
                writer.member("expires", seconds(signal.expiry))
            }
            return writer.bytes
        }
    }
}
