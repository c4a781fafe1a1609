import Base

/// The state of a server, as `GET /api/v1/overview` tells it. What it does not tell is nil or empty.
struct OverviewReport: Equatable, Sendable {
    struct Device: Equatable, Sendable {
        let name: String
        let owner: String
        let created: Int?
        let isConnected: Bool
        let lastSeen: Int?
    }

    struct Registration: Equatable, Sendable {
        let id: String
        let account: String
        let service: String
        let owner: String
        let expires: Int?
        let lastDelivery: Int?
        let waiting: Int
        let isPaused: Bool
        /// Only a screen shows what is pushed there, and none is connected.
        let isUnheard: Bool
    }

    struct Refusal: Equatable, Sendable {
        let number: Int
        let status: Int
        let count: Int
        let message: String
        let advice: String
    }

    struct Event: Equatable, Sendable {
        /// In milliseconds.
        let time: Int
        let kind: String
        let subject: String
        let detail: String
    }

    let version: String
    let address: String
    let now: Int?
    let began: Int?
    let isUsable: Bool
    /// Since the server began, by name.
    let counts: [String: Int]
    let durations: DurationCounts?
    let waitingMessages: Int?
    let waitingBytes: Int?
    let clients: Int?
    let devices: [Device]
    let registrations: [Registration]
    let refusals: [Refusal]
    /// The newest first.
    let events: [Event]

    init(_ node: JSONNode) {
        version = node["version"]?.text ?? ""
        address = node["address"]?.text ?? ""
        now = node["now"]?.whole
        began = node["began"]?.whole
        isUsable = node["usable"]?.bool ?? true
        counts = Dictionary(
            (node["counts"]?.members ?? []).compactMap { name, value in
                value.whole.map { (name, $0) }
            }, uniquingKeysWith: { first, _ in first })
        durations = node["durations"].flatMap(DurationCounts.init)
        waitingMessages = node["waiting"]?["messages"]?.whole
        waitingBytes = node["waiting"]?["bytes"]?.whole
        clients = node["clients"]?.whole ?? node["user_agents"]?.whole
        devices = (node["devices"]?.elements ?? []).map(Device.init)
        registrations = (node["registrations"]?.elements ?? []).map(Registration.init)
        refusals = (node["errors"]?.elements ?? []).map(Refusal.init)
        events = (node["events"]?.elements ?? []).map(Event.init).sorted { $0.time > $1.time }
    }
}

extension OverviewReport.Device {
    init(_ node: JSONNode) {
        name = node["name"]?.text ?? ""
        owner = node["owner"]?.text ?? ""
        created = node["created"]?.whole
        isConnected = node["connected"]?.bool ?? false
        lastSeen = node["last_seen"]?.whole
    }
}

extension OverviewReport.Registration {
    init(_ node: JSONNode) {
        id = node["id"]?.textOrNumber ?? ""
        account = AccountName(node).description
        service = node["service"]?.text ?? ""
        owner = node["owner"]?.text ?? ""
        expires = node["expires"]?.whole
        lastDelivery = node["last_delivery"]?.whole
        waiting = node["waiting"]?.whole ?? 0
        isPaused = node["paused"]?.bool ?? false
        isUnheard = node["unheard"]?.bool ?? false
    }
}

extension OverviewReport.Refusal {
    init(_ node: JSONNode) {
        number = node["errno"]?.whole ?? 0
        status = node["status"]?.whole ?? 0
        count = node["count"]?.whole ?? 0
        message = node["message"]?.text ?? ""
        advice = node["advice"]?.text ?? ""
    }
}

extension OverviewReport.Event {
    init(_ node: JSONNode) {
        time = node["time"]?.whole ?? 0
        kind = node["kind"]?.text ?? ""
        subject = node["subject"]?.text ?? ""
        detail = node["detail"]?.text ?? ""
    }
}

extension JSONNode {
    /// A number without a sign that fits, with or without a fraction, which is dropped.
    var whole: Int? {
        guard let number else { return nil }
        return number >= 0 && number < 9e15 ? Int(number) : nil
    }

    var number: Double? { kind == .number ? textOrNumber.flatMap(Double.init) : nil }
}

/// How many pushes a second were accepted, from one report to the next.
struct OverviewRates: Equatable, Sendable {
    /// More do not fit on a screen.
    private static let limit = 400

    private(set) var values: [Double] = []
    private var last: (began: Int?, accepted: Int, time: Double)?

    var current: Double? { values.last }

    /// `time` is in seconds, of a clock that is not set.
    mutating func add(_ report: OverviewReport, at time: Double) {
        guard let accepted = report.counts["accepted"] else { return }
        defer { last = (report.began, accepted, time) }
        // A server that began anew counts anew.
        guard let last, last.began == report.began, accepted >= last.accepted, time > last.time
        else { return }
        values =
            values.suffix(Self.limit - 1) + [
                Double(accepted - last.accepted) / (time - last.time)
            ]
    }

    static func == (left: Self, right: Self) -> Bool { left.values == right.values }
}

/// How long things took: for each bound, how many took at most so long.
struct DurationCounts: Equatable, Sendable {
    /// In seconds, rising.
    let bounds: [Double]
    /// One more than bounds: the last counts all.
    let counts: [Int]

    /// Nil if the lists do not belong together.
    init?(_ node: JSONNode) {
        bounds = (node["bounds"]?.elements ?? []).compactMap(\.number)
        counts = (node["counts"]?.elements ?? []).compactMap(\.whole)
        guard !bounds.isEmpty, counts.count == bounds.count + 1 else { return nil }
    }

    /// The bound within which this share of all was done; nil if there was nothing, or if the rest
    /// took longer than every bound.
    func bound(for share: Double) -> Double? {
        guard let all = counts.last, all > 0 else { return nil }
        return zip(bounds, counts).first { Double($0.1) >= share * Double(all) }?.0
    }
}
