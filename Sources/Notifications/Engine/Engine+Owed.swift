import Base

/// What waits for an application.
extension Engine {
    /// Says it now, and owes it until an application has heard it.
    mutating func tellNotice(_ update: Update) {
        updates.append(update)
        account.owed.add(update, at: now)
    }

    /// A payload as it came, beside what is made of it. `Owed.hasRoom` was asked before.
    package mutating func keepRaw(_ payload: [UInt8], encoding: String, now: Double) -> Outcome {
        advance(to: now)
        if isClosed { return .aborted }
        let push = RawPush(payload: payload, encoding: encoding, received: Int64(time: now))
        updates.append(.rawPush(account.owed.add(push, at: now)))
        return .ok
    }

    /// What one who joins is told of what waits. A viewer only hears what the user chose, and only
    /// where no application is there to do it.
    package func owedUpdates(for role: OwedRole) -> [Update] {
        account.owed.items.compactMap { item in
            switch item.content {
            case .action(let action): .notificationAction(action)
            case .notice(let update): role == .viewer ? nil : update
            case .raw(let push): role == .rawFetcher ? .rawPush(push) : nil
            }
        }
    }

    /// For the one client of a host that has just begun.
    package mutating func tellOwed() {
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
        guard let id = request[name]?.integer else {
            return .badRequest("Identifier is invalid")
        }
        switch type {
        case "bellwire.heard": account.owed.heard(through: id)
        case "bellwire.actionTaken": account.owed.take(id, where: \.isAction)
        default: account.owed.take(id, where: \.isRaw)
        }
        return .ok
    }
}

/// Who is told of what waits.
package enum OwedRole: Sendable { case viewer, fetcher, rawFetcher }
