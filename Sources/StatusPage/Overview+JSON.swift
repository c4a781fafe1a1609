import Base

/// The overview for programs. Times are in seconds since 1970, except those of events.
extension Overview {
    package var json: [UInt8] {
        var writer = JSONWriter(capacity: 8_192)
        writer.object { writer in
            writer.member("version", version)
            writer.member("address", address)
            writer.member("now", now)
            writer.member("began", began)
            writer.member("usable", isUsable)
            writer.member("administrator", owner == nil)
            if let owner { writer.member("owner", owner) }
            writer.name("waiting")
            writer.object { writer in
                writer.member("messages", waiting.messages)
                writer.member("bytes", waiting.bytes)
            }
            if let userAgents { writer.member("user_agents", userAgents) }
            if let clients { writer.member("clients", clients) }
            writeNumbers(to: &writer)
            writer.list("devices", devices) { $0.write(to: &$1) }
            writer.list("registrations", registrations) { $0.write(to: &$1) }
            if hasMore { writer.member("more", true) }
            writer.list("errors", failures) { $0.write(to: &$1) }
            writer.list("events", events) { $0.write(to: &$1) }
        }
        return writer.bytes
    }

    /// What the script of the page needs for its plots.
    func writeNumbers(to writer: inout JSONWriter) {
        if let counts {
            writer.name("counts")
            writer.object { counts.write(to: &$0) }
        }
        if let durations {
            writer.name("durations")
            writer.object { durations.write(to: &$0) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func list<Item>(
        _ name: StaticString, _ items: [Item], _ write: (Item, inout JSONWriter) -> Void
    ) {
        self.name(name)
        array { writer in
            for item in items { writer.object { write(item, &$0) } }
        }
    }
}

extension Overview.Counts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("accepted", accepted)
        writer.member("repeated", repeated)
        writer.member("refused", refused)
        writer.member("delivered", delivered)
        writer.member("acknowledged", acknowledged)
        writer.member("undecryptable", undecryptable)
    }
}

extension Overview.Durations {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.name("bounds")
        writer.array { writer in
            for bound in bounds { writer.raw("\(Double(bound) / 1_000_000)") }
        }
        writer.name("counts")
        writer.array { writer in
            for count in counts { writer.number(count) }
        }
    }
}

extension Overview.Device {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("owner", owner)
        writer.member("created", created)
        writer.member("connected", isConnected)
        if let lastSeen { writer.member("last_seen", lastSeen) }
        if !isConfirmed { writer.member("unconfirmed", true) }
        if isReceiveOnly { writer.member("receive_only", true) }
    }
}

extension Overview.Registration {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("app", app)
        writer.member("account", account)
        writer.member("owner", owner)
        writer.member("created", created)
        writer.member("expires", expires)
        if let lastPush { writer.member("last_delivery", lastPush) }
        writer.member("waiting", waiting)
        if let service { writer.member("service", service) }
        if isPaused { writer.member("paused", true) }
        if isUnheard { writer.member("unheard", true) }
    }
}

extension Overview.Failure {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("word", word)
        if let number { writer.member("errno", number) }
        if status > 0 { writer.member("status", status) }
        writer.member("count", count)
        writer.member("message", Sentence.refusal(word).text(.english))
    }
}

extension Overview.Event {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("time", time)
        writer.member("kind", kind)
        writer.member("subject", subject)
        writer.member("detail", detail)
    }
}
