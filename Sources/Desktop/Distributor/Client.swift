/// A registration in memory: its record, and what is not stored.
struct Client {
    /// The stored record. Its endpoint is the one that the application has.
    var record: ClientRecord
    /// The endpoint that the link gave. It is separate from the record, so that a new endpoint is
    /// still sent to the application after a restart.
    var endpoint: String?
    /// Calls of `Register` that wait for an endpoint, with their deadlines.
    var calls: [(id: UInt64, deadline: Duration)] = []
    /// Why the last message was not delivered.
    var trouble: String?
    /// The application said that it does not know the token.
    var isStale = false
    /// Messages delivered last. A repeated one is only acknowledged.
    var delivered = RecentIDs()
    var savedDelivery: Int64?

    init(_ record: ClientRecord) {
        self.record = record
        endpoint = record.endpoint
        savedDelivery = record.lastDelivery
    }

    /// It has only a unique bus name, so it ends with its connection.
    var isTransient: Bool { record.service.hasPrefix(":") }
}

/// The last ids, up to a limit.
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
