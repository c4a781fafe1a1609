/// A registration, and what is known of it beside its row.
struct Client {
    /// As it is stored. Its endpoint is the one that the application was told.
    var record: ClientRecord
    /// What the link says. Kept apart, so that one that was not told yet is told after a restart.
    var endpoint: String?
    /// Calls of `Register` that wait for an endpoint, and until when.
    var calls: [(id: UInt64, deadline: Duration)] = []
    /// Why the last message was not delivered.
    var trouble: String?
    /// The application said that it does not know the token.
    var isStale = false
    /// Ids that were delivered last: what comes again is only acknowledged.
    var delivered = RecentIDs()
    var savedDelivery: Int64?

    init(_ record: ClientRecord) {
        self.record = record
        endpoint = record.endpoint
        savedDelivery = record.lastDelivery
    }

    /// Its connection is its life.
    var isTransient: Bool { record.service.hasPrefix(":") }
}

/// The last ids, up to a bound.
struct RecentIDs {
    private static let limit = 128

    private var ids: Set<String> = []
    private var order: [String] = []
    private var next = 0

    func contains(_ id: String) -> Bool { ids.contains(id) }

    mutating func insert(_ id: String) {
        guard ids.insert(id).inserted else { return }
        if order.count < Self.limit {
            order.append(id)
        } else {
            ids.remove(order[next])
            order[next] = id
            next = (next + 1) % Self.limit
        }
    }
}
