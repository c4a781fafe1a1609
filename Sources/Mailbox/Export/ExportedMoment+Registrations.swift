import Base
import Crypto
import Delivery
import SQLite
import Topics
import WebPush

/// Registrations, their callbacks, and what waits in the outbox.
extension ExportedMoment {
    func registrations(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        let found = try RegistrationRows.page(
            owner: ownerName, credential: credential, after: cursor.row, limit: limit,
            on: connection, &sealer)
        var step = ExportStep(visited: found.count, isLast: found.count < limit)
        for found in found {
            switch found {
            case .none: break
            case .damaged(let device):
                cursor.row = Int64(device)
                step.items.append(Self.unreadable("registration_number", cursor.row))
            case .registration(let registration):
                cursor.row = Int64(registration.device)
                step.items.append(try item(registration))
            }
        }
        return step
    }

    private func item(_ registration: Registration) throws(StoreFault) -> [UInt8] {
        let counts = try RegistrationRows.undecryptable(registration.device, on: connection)
        // The path of a callback's URL may be a secret; its host is among the callbacks.
        var terms = registration.terms
        terms.topic.secretName = nil
        terms.callback = nil
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", registration.id.text)
            writer.member("created", Int(registration.created / 1_000))
            writer.member("expires", seconds(registration.expiry))
            writer.member("last_used", seconds(registration.seen))
            writer.member("engine", Int(registration.engine))
            writer.name("terms")
            terms.write(to: &writer)
            writer.name("endpoints")
            writer.array { writer in
                for target in registration.targets {
                    writer.object { writer in
                        writer.member("id", Int(target.subscription))
                        if let end = target.ends { writer.member("ends", seconds(end)) }
                    }
                }
            }
            writer.member("has_secret", registration.secret != nil)
            writer.member("paused", registration.isPaused)
            writer.member("mobile", registration.isMobile)
            writer.name("undecryptable")
            writer.object { writer in
                for (reason, count) in counts {
                    writer.name(text: reason)
                    writer.number(count)
                }
            }
        }
        return writer.bytes
    }

    func callbacks(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        while step.visited < limit {
            guard let row = try nextCallback(after: &cursor.row, limit, &step) else { break }
            step.items.append(try callback(row))
        }
        return step
    }

    /// The next of the owner's callbacks. A callback can outlive its registration; there is no index
    /// by owner, so a step looks at a few rows and may find none.
    private func nextCallback(
        after row: inout Int64, _ limit: Int, _ step: inout ExportStep
    ) throws(StoreFault) -> Int64? {
        let select = try connection.statement(
            """
            SELECT row, owner = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM device
            WHERE device.row = callback.row AND device.credential = ?2))
            FROM callback WHERE row > ?3 ORDER BY row LIMIT ?4
            """, ownerName, credential, row, Int64(limit - step.visited))
        while try select.step() {
            step.visited += 1
            row = select.integer(0)
            if select.integer(1) != 0 { return row }
        }
        step.isLast = step.visited < limit
        return nil
    }

    private func callback(_ row: Int64) throws(StoreFault) -> [UInt8] {
        let select = try connection.statement(
            "SELECT state, created, events, bytes, sealed FROM callback WHERE row = ?1", row)
        let number = UInt32(clamping: row)
        guard try select.step(), let state = CallbackState(rawValue: select.integer(0)) else {
            return Self.unreadable("id", row)
        }
        let opened = select.withBytes(4) {
            try? sealer.open($0, at: CallbackRows.place(number, of: ownerName))
        }
        let callback = opened.flatMap { opened in
            opened.withSpan { CallbackCode.callback(row: number, $0) }
        }
        let id = try holder(number).registration
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", Int(row))
            if let id { writer.member("registration", id.text) }
            writer.member("state", "\(state)")
            writer.member("created", seconds(StoreTime(milliseconds: select.integer(1))))
            if let callback {
                writer.member("host", Origin(url: callback.url)?.description ?? "unix")
            }
            writer.member("events", Int(select.integer(2)))
            writer.member("bytes", Int(select.integer(3)))
        }
        return writer.bytes
    }

    /// Their hosts are among the callbacks of the same numbers. No device has them.
    func forwards(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        let select = try connection.statement(
            """
            SELECT row, topic, created, delivered, status, reason FROM forward
            WHERE owner = ?1 AND ?2 IS NULL AND row > ?3 ORDER BY row LIMIT ?4
            """, owner, credential, cursor.row, Int64(limit))
        while try select.step() {
            step.visited += 1
            cursor.row = select.integer(0)
            let topic = UInt32(clamping: select.integer(1))
            let registration = topic == 0 ? nil : try holder(topic).registration
            step.items.append(
                JSONWriter.object { writer in
                    writer.member("callback", Int(select.integer(0)))
                    if let registration { writer.member("registration", registration.text) }
                    writer.member("all_topics", topic == 0)
                    writer.member("created", Int(select.integer(2)))
                    if !select.isNull(3) { writer.member("delivered", Int(select.integer(3))) }
                    if !select.isNull(4) { writer.member("status", Int(select.integer(4))) }
                    if !select.isNull(5) { writer.member("reason", select.text(5)) }
                })
        }
        step.isLast = step.visited < limit
        return step
    }

    func events(
        from cursor: inout ExportCursor, _ limit: Int
    ) throws(StoreFault) -> ExportStep {
        var step = ExportStep()
        while step.visited < limit {
            if cursor.isEntered {
                let found = try events(of: cursor.holder, after: &cursor.row, limit - step.visited)
                step.items += found
                step.visited += found.count
                if !found.isEmpty { break }
            }
            var row = cursor.holder
            let next = try nextCallback(after: &row, limit, &step)
            // Rows of others are passed, and never entered.
            cursor.move(to: row, isEntered: next != nil)
            if next == nil { break }
        }
        return step
    }

    private func events(
        of callback: Int64, after position: inout Int64, _ limit: Int
    ) throws(StoreFault) -> [[UInt8]] {
        let select = try connection.statement(
            """
            SELECT position, rank, attempts, dies, size, sealed FROM callback_event
            WHERE callback = ?1 AND position > ?2 ORDER BY position LIMIT ?3
            """, callback, position, Int64(limit))
        var items: [[UInt8]] = []
        var bytes = 0
        while bytes < store.limits.pageBytes, try select.step() {
            position = select.integer(0)
            let opened = select.withBytes(5) {
                try? sealer.open($0, at: CallbackRows.eventPlace(position, of: ownerName))
            }
            let body = opened.map { $0.withSpan { $0.array($0.indices) } }
            items.append(event(select, of: callback, body ?? []))
            bytes += Int(select.integer(4))
        }
        return items
    }

    private func event(
        _ row: borrowing StoreStatement, of callback: Int64, _ body: [UInt8]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("callback", Int(callback))
            writer.member("parked", row.integer(1) == CallbackRows.Rank.parked.rawValue)
            writer.member("attempts", Int(row.integer(2)))
            writer.member("dropped", seconds(StoreTime(milliseconds: row.integer(3))))
            if let forwarded = ForwardedMessage.decoded(body) {
                writer.name("message")
                writer.object { NtfyJSON.write(forwarded.message, to: &$0) }
                return
            }
            guard let root = JSONNode(json: body) else {
                return writer.member("unreadable", true)
            }
            writer.member("type", root["type"]?.text ?? "")
            writer.member("timestamp", root["timestamp"]?.text ?? "")
            writer.name("data")
            writer.object { writer in
                for member in root["data"]?.members ?? []
                where !Self.secretMembers.contains(member.name) {
                    writer.name(text: member.name)
                    writer.value(member.value)
                }
            }
        }
        return writer.bytes
    }

    /// Members that have the addresses and the keys of a registration.
    private static let secretMembers: Set = ["register_device", "unregister_device"]
}
