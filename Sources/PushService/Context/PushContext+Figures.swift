extension PushContext {
    package var serverFigures: ServerFigures {
        let refusals = metrics.refusals.sorted { $0.count > $1.count }.map { word, count in
            ServerFigures.Refusals(
                word: word, status: ServerFigures.status(of: word),
                number: ServerFigures.number(of: word), count: count)
        }
        return ServerFigures(
            began: Int(metrics.began), accepted: metrics.acceptedCount,
            repeated: metrics.repeatedCount, delivered: metrics.deliveredCount,
            acknowledged: metrics.acknowledgedCount, shown: metrics.shownCount,
            userAgents: metrics.userAgentCount, clients: clients.count,
            durationBounds: DurationHistogram.bounds, durationSums: metrics.durations.sums,
            refusals: refusals,
            unreadable: metrics.undecryptableReasons.sorted { $0.count > $1.count })
    }
}
