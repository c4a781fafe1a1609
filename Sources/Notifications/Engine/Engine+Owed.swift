import Base

/// Updates that wait until an application has acknowledged them.
extension Engine {
    /// Sends the update now, and keeps it until an application has acknowledged it.
    mutating func sendNotice(_ update: Update) {
        updates.append(update)
        account.owed.add(update, at: now)
    }

    /// Keeps a payload as received, besides processing it. The caller has checked `Owed.hasRoom`.
    package mutating func keepRaw(_ payload: [UInt8], encoding: String, now: Double) -> Outcome {
        advance(to: now)
        if isClosed { return .aborted }
        let push = RawPush(payload: payload, encoding: encoding, received: Int64(time: now))
        updates.append(.rawPush(account.owed.add(push, at: now)))
        return .ok
    }

    /// The waiting updates for a client that joins. A viewer gets only what the user chose, and
    /// only if no application is there to do it.
    package func owedUpdates(for role: OwedRole) -> [Update] {
        account.owed.items.compactMap { item in
            switch item.content {
            case .action(let action): .notificationAction(action)
            case .notice(let update): role == .viewer ? nil : update
            case .raw(let push): role == .rawFetcher ? .rawPush(push) : nil
            }
        }
    }

    /// Sends them all, for a host with a single client that has just started.
    package mutating func sendOwed() {
        updates += badgeUpdates + owedUpdates(for: .fetcher)
    }

    mutating func expireActions() {
        for id in account.owed.expire(at: now) { updates.append(.actionExpired(id: id)) }
    }

    mutating func handleOwed(_ type: String, _ request: JSONNode) -> Outcome {
        if type == "bellwire.setRaw" {
            account.owed.keepRaw(request.flag("active"))
            return .ok
        }
        let name: StaticString = type == "bellwire.heard" ? "through" : "id"
        guard let id = request[name]?.integer else { return .badRequest("Identifier is invalid") }
        switch type {
        case "bellwire.heard": account.owed.removeNotices(through: id)
        case "bellwire.actionTaken": account.owed.remove(id, where: \.isAction)
        default: account.owed.remove(id, where: \.isRaw)
        }
        return .ok
    }
}

/// What kind of client asks for the waiting updates.
package enum OwedRole: Sendable { case viewer, fetcher, rawFetcher }
