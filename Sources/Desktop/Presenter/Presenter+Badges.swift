/// The numbers on the icons of applications.
extension Presenter {
    /// The first one is told also if it is 0: a process before this one may have told another.
    mutating func setBadge(_ count: Int64, _ source: String) {
        guard let known = sources[source], known.badge != count else { return }
        sources[source]?.badge = count
        tellBadge(of: known.settings.desktopEntry)
    }

    /// What the source has told counts no longer.
    mutating func endBadge(_ source: String) {
        guard let known = sources[source], let count = known.badge else { return }
        sources[source]?.badge = nil
        if count != 0 { tellBadge(of: known.settings.desktopEntry) }
    }

    /// For a launcher that has heard nothing yet.
    mutating func repeatBadges() {
        let known = sources.values.filter { $0.badge != nil }
        for entry in Set(known.map(\.settings.desktopEntry)).sorted() { tellBadge(of: entry) }
    }

    /// The count of an application is that of all its accounts.
    private mutating func tellBadge(of entry: String) {
        let total = sources.values.filter { $0.settings.desktopEntry == entry }
            .reduce(Int64(0)) { sum, source in
                let (sum, isOver) = sum.addingReportingOverflow(source.badge ?? 0)
                return isOver ? .max : sum
            }
        actions.append(.badge(desktopEntry: entry, count: total))
    }
}
