import Desktop

/// Judges what the presenter does.
extension PresenterPlay {
    mutating func notified(_ ticket: Int, _ call: NotifyCall) {
        if hall.call != nil { fail("two notifications at once") }
        if hall.identity == nil { fail("it notifies without a server") }
        guard let note = note(call.body) else {
            // A summary.
            hall.call = PresenterHall.Call(
                ticket: ticket, note: PresenterHall.Note(id: 0, group: 0),
                replaces: call.replacesID, tag: call.tag)
            return
        }
        if !hall.records.values.contains(where: {
            Int($0.key.notification) == note.id && $0.place == .showing
        }), call.replacesID == 0 {
            fail("it shows a notification before it is recorded")
        }
        if !call.isSilent {
            hall.sounded[note.id, default: 0] += 1
            let most = hall.excused.contains(note.id) ? 2 : 1
            if hall.sounded[note.id, default: 0] > most { fail("a notification sounds twice") }
        }
        if !hall.alive.contains(where: { $0.id == note.id }) {
            fail("it shows a notification that the engine has removed")
        }
        hall.call = PresenterHall.Call(
            ticket: ticket, note: note, replaces: call.replacesID, tag: call.tag)
    }

    private func note(_ body: String) -> PresenterHall.Note? {
        guard body.hasPrefix("#"), body.hasSuffix("#") else { return nil }
        let parts = body.dropFirst().dropLast().split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        let group = hall.alive.first { $0.id == parts[0] }?.group ?? 0
        return PresenterHall.Note(id: parts[0], group: group, version: parts[1])
    }

    /// Server and engine are well, and everything is answered.
    package mutating func settle() {
        if hall.identity == nil { happen(.serverAppears) }
        rest()
        confirm()
        sendAll()
        rest()
        guard finding == nil else { return }
        for (_, note) in hall.visible where note.id > 0 {
            guard let present = hall.alive.first(where: { $0.id == note.id }) else {
                return fail("a notification is still on the screen after its removal")
            }
            if present.version != note.version { return fail("an edit is not on the screen") }
        }
        let ids = hall.visible.values.map(\.id).filter { $0 > 0 }
        if Set(ids).count != ids.count { fail("a notification is on the screen twice") }
        let shown = hall.records.values.filter { $0.place == .shown }.map(\.serverID)
        if Set(shown) != Set(hall.visible.keys) {
            fail("the records say \(shown.sorted()), the screen has \(hall.visible.keys.sorted())")
        }
    }

    private mutating func rest() {
        var steps = 0
        while finding == nil, steps < 500 {
            steps += 1
            if hall.call != nil {
                answer()
            } else {
                // Longer than the pauses between popups, and after failures.
                happen(.pass(milliseconds: 6_000))
                if hall.call == nil { break }
            }
        }
        if steps == 500 { fail("it never comes to rest") }
    }

    package struct State: Hashable {
        let notes: [[Int]]
        let flags: [Bool]
        let visible: Int
    }

    package var state: State {
        let notes = hall.alive.suffix(4).map { note -> [Int] in
            let record = hall.records.values.first { Int($0.key.notification) == note.id }
            let place = record.map { ShownRecord.Place.allCases.firstIndex(of: $0.place) ?? 0 }
            let shown = hall.visible.values.first { $0.id == note.id }
            return [
                note.group, (place ?? -1) + 1, record?.maySound == true ? 1 : 0,
                min(hall.sounded[note.id] ?? 0, 2),
                shown.map { $0.version == note.version ? 2 : 1 } ?? 0,
                hall.dismissed.contains(note.id) ? 1 : 0,
            ]
        }
        return State(
            notes: notes,
            flags: [hall.identity != nil, hall.call != nil, !hall.wanted.isEmpty],
            visible: min(hall.visible.count, 7))
    }
}
