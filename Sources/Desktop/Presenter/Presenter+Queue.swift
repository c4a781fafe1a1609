import Base

/// Calls to the server, one at a time.
extension Presenter {
    mutating func pump(at now: Duration) {
        guard case .present(let server) = server else { return startServer(now) }
        guard flight == nil, now >= pausedUntil else { return }
        var index = 0
        while flight == nil, index < queue.count {
            if nextChance(of: queue[index], at: now) > now {
                index += 1
            } else {
                show(queue.remove(at: index), on: server, now)
            }
        }
    }

    /// How many notifications of one source come up.
    private static let popups = PaceLimit(atOnce: 10, perSecond: 1)
    private static let summaryInterval = Duration.seconds(1)

    /// A summary changes with each of many notifications, so it is shown at most once a second.
    func nextChance(of key: ShownKey, at now: Duration) -> Duration {
        key.notification == 0 ? max(sources[key.source]?.nextSummary ?? now, now) : now
    }

    private mutating func startServer(_ now: Duration) {
        if case .awaited(let end) = server, now < end { return }
        guard queue.contains(where: { isWanted($0) }) else { return }
        server = .awaited(until: now + Self.startInterval)
        actions.append(.startServer)
    }

    private func isWanted(_ key: ShownKey) -> Bool {
        guard let entry = entries[key] else { return false }
        return entry.place == .waiting && !entry.isDoomed
    }

    private mutating func show(
        _ key: ShownKey, on server: NotificationServer, _ now: Duration
    ) {
        guard var entry = entries[key] else { return }
        guard !entry.isDoomed else { return replaceUnknown(key, on: server) }
        guard let call = call(for: key, entry, on: server) else { return }
        let digest = call.digest
        entry.isDirty = false
        switch entry.place {
        case .waiting:
            let hasRoom =
                key.notification == 0 || entry.isInDoubt
                || sources[key.source]?.pace.delay(Self.popups, at: now) != nil
            guard hasRoom else { return summarise(key) }
            (entry.place, entry.server) = (.showing, server.identity)
        case .shown where digest != entry.digest: break
        default:
            entries[key] = entry
            return
        }
        lastTicket += 1
        flight = Flight(
            ticket: lastTicket, key: key, digest: digest,
            isSounding: call[hint: "suppress-sound"] == nil)
        entry.maySound = false
        entries[key] = entry
        if entry.place == .showing { keep(key) }
        if key.notification == 0 {
            sources[key.source]?.nextSummary = now + Self.summaryInterval
        }
        actions.append(.notify(ticket: lastTicket, call))
    }

    /// Removes a notification whose id is unknown: a placeholder with its tag replaces it and is
    /// then closed. This is impossible without tags.
    private mutating func replaceUnknown(_ key: ShownKey, on server: NotificationServer) {
        entries[key] = nil
        guard server.tagHint != nil, let source = sources[key.source], !source.settings.tag.isEmpty
        else { return actions.append(.forget(key)) }
        let composer = NotificationComposer(
            source: source.settings, consent: source.consent, server: server, isInhibited: true,
            language: language)
        lastTicket += 1
        flight = Flight(
            ticket: lastTicket, key: key, digest: 0, isSounding: false, isOrphan: true)
        let call = composer.placeholder(tag: Self.tag(of: key, source))
        actions.append(.notify(ticket: lastTicket, call))
    }

    private func call(
        for key: ShownKey, _ entry: Entry, on server: NotificationServer
    ) -> NotifyCall? {
        guard let source = sources[key.source] else { return nil }
        let composer = NotificationComposer(
            source: source.settings, consent: source.consent, server: server,
            isInhibited: isInhibited, language: language)
        let tag = Self.tag(of: key, source)
        var call: NotifyCall
        if let notification = entry.notification {
            let isSounding = entry.place == .waiting && entry.maySound
            call = composer.call(
                for: notification, in: entry.chat, entry.picture, after: entry.press,
                isSounding: isSounding, tag: tag)
        } else if key.notification == 0 {
            call = composer.summary(of: counts(of: key.source, composer), tag: tag)
        } else {
            return nil
        }
        call.replacesID = entry.server == server.identity ? entry.serverID : 0
        return call
    }

    /// A unique and constant tag for each notification.
    private static func tag(of key: ShownKey, _ source: Source) -> String {
        "bellwire-\(source.settings.tag)-\(key.group)-\(key.notification)"
    }
}

/// The summary, which stands for all notifications without room.
extension Presenter {
    func members(of source: String) -> [ShownKey] {
        entries.filter { $0.key.source == source && $0.value.place == .summarised }.keys.sorted()
    }

    private mutating func summarise(_ key: ShownKey) {
        entries[key]?.place = .summarised
        entries[key]?.maySound = false
        entries[key]?.isDirty = false
        keep(key)
        touchSummary(of: key.source, isGrowing: true)
    }

    /// Shows the summary again if it changed. One that left the screen comes back only if it grows.
    mutating func touchSummary(of source: String, isGrowing: Bool = false) {
        let key = Self.summary(of: source)
        guard !members(of: source).isEmpty else { return remove(key) }
        guard var entry = entries[key] else {
            guard isGrowing else { return }
            entries[key] = Entry(chat: Chat(), place: .waiting)
            keep(key)
            return enqueue(key)
        }
        if entry.place == .listed, isGrowing { entry.place = .waiting }
        entry.isDirty = true
        entries[key] = entry
        if entry.place == .waiting || entry.place == .shown { enqueue(key) }
    }

    private func counts(
        of source: String, _ composer: NotificationComposer
    ) -> [(title: String, count: Int)] {
        var counts: [String: Int] = [:]
        for (group, keys) in Dictionary(grouping: members(of: source), by: \.group) {
            var name = ""
            for key in keys {
                guard let entry = entries[key] else { continue }
                let title = composer.conversation(of: entry.notification, entry.chat)
                counts[title, default: 0] += 1
                // Those that made way had titles of their own, which nobody knows any more.
                name = entry.chat.title.isEmpty ? title : composer.conversation(of: nil, entry.chat)
            }
            counts[name, default: 0] += sources[source]?.passed[group] ?? 0
        }
        return counts.map { (title: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.title) < ($0.count, $1.title) }
    }
}

/// The counts on application icons.
extension Presenter {
    /// The first count is sent even if it is 0, because a previous process may have sent another.
    mutating func setBadge(_ count: Int64, _ source: String) {
        guard let known = sources[source], known.badge != count else { return }
        sources[source]?.badge = count
        sendBadge(of: known.settings.desktopEntry)
    }

    /// From now on, leaves out the count of this source.
    mutating func endBadge(_ source: String) {
        guard let known = sources[source], let count = known.badge else { return }
        sources[source]?.badge = nil
        if count != 0 { sendBadge(of: known.settings.desktopEntry) }
    }

    /// Sends all badges again, for a launcher that just appeared.
    mutating func repeatBadges() {
        let known = sources.values.filter { $0.badge != nil }
        for entry in Set(known.map(\.settings.desktopEntry)).sorted() { sendBadge(of: entry) }
    }

    /// The count of an application is the sum of its accounts.
    private mutating func sendBadge(of entry: String) {
        let total = sources.values.filter { $0.settings.desktopEntry == entry }
            .reduce(Int64(0)) { sum, source in
                let (sum, isOver) = sum.addingReportingOverflow(source.badge ?? 0)
                return isOver ? .max : sum
            }
        actions.append(.badge(desktopEntry: entry, count: total))
    }
}
