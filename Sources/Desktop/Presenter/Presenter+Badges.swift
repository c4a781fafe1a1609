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
