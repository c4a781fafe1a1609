import Base
import Pictures

/// Decides which linked pictures are fetched, and when, and keeps what came of it. Time is passed in,
/// in milliseconds.
///
/// A sender chooses what the server dials here. So a host is asked at most once a second and a topic has
/// at most twenty fetches a minute, an owner has a share of what waits, and what is known, also that there
/// is no picture, is not asked for again for a day.
struct LinkedPictures: Confidential {
    /// What a link leads to, as far as requests for it are told apart.
    struct Link: Hashable, Sendable {
        let url: String
        let host: String
    }

    enum Finding: Equatable, Sendable {
        /// Nil if there is no picture.
        case known(PictureFile?)
        /// It will be told to the ticket.
        case awaited
        /// There are too many requests now.
        case refused
    }

    private struct Known {
        let picture: PictureFile?
        let end: Int64
    }

    private struct Fetch {
        let link: Link
        /// Of the topic for which it was asked first.
        let owner: UInt32
        var tickets: [UInt64]
    }

    static let lifetime: Int64 = 86_400_000
    static let byteLimit = 32 << 20
    /// What an entry takes besides its picture and its URL, roughly.
    static let overhead = 512
    static let waitingLimit = 256
    /// Of these, for one owner.
    static let share = waitingLimit / 8
    private static let (topicLimit, minute) = (20, 60_000 as Int64)
    /// Beyond this number of topics, those without a fetch in the last minute are forgotten.
    private static let topicMemory = 1_024
    private static let lanes: HostLanes.Limits = {
        var limits = HostLanes.Limits()
        (limits.places, limits.untried, limits.slow) = (16, 12, 4)
        (limits.perHost, limits.perSecond) = (4, 1)
        return limits
    }()

    private var known: [String: Known] = [:]
    /// What is known, oldest first.
    private var order = WaitingLine<String>()
    private(set) var bytes = 0
    private var lanes = HostLanes(Self.lanes)
    /// By the number under which they wait in the lanes.
    private var fetches: [UInt32: Fetch] = [:]
    private var numbers: [String: UInt32] = [:]
    private var lastNumber: UInt32 = 0
    /// How many of the fetches are for an owner.
    private var owners: [UInt32: Int] = [:]
    /// When the last fetches of a topic were asked for.
    private var minutes: [UInt32: WaitingLine<Int64>] = [:]

    init() {}

    /// Somebody wants the picture for a message to this topic of this owner.
    mutating func ask(
        _ ticket: UInt64, for link: Link, of topic: UInt32, ofOwner owner: UInt32, at now: Int64
    ) -> Finding {
        dropOld(at: now)
        if let known = known[link.url] { return .known(known.picture) }
        if let number = numbers[link.url] {
            fetches[number]?.tickets.append(ticket)
            return .awaited
        }
        guard fetches.count < Self.waitingLimit, owners[owner] ?? 0 < Self.share,
            hasTurn(topic, at: now)
        else { return .refused }
        repeat { lastNumber &+= 1 } while fetches[lastNumber] != nil
        fetches[lastNumber] = Fetch(link: link, owner: owner, tickets: [ticket])
        owners[owner, default: 0] += 1
        numbers[link.url] = lastNumber
        lanes.ask(lastNumber, host: link.host)
        return .awaited
    }

    private mutating func hasTurn(_ topic: UInt32, at now: Int64) -> Bool {
        if minutes.count > Self.topicMemory {
            minutes = minutes.filter { !Self.isOver($0.value, at: now) }
        }
        var turns = minutes[topic] ?? WaitingLine()
        while let first = turns.first, first <= now - Self.minute { _ = turns.popFirst() }
        guard turns.count < Self.topicLimit else { return false }
        turns.append(now)
        minutes[topic] = turns
        return true
    }

    private static func isOver(_ turns: WaitingLine<Int64>, at now: Int64) -> Bool {
        turns.last.map { $0 <= now - minute } ?? true
    }

    /// The next fetch to begin; nil if none may begin now.
    mutating func next(at now: Int64) -> Link? {
        while let number = lanes.next(at: now) {
            if let fetch = fetches[number] { return fetch.link }
        }
        return nil
    }

    /// When another fetch may begin.
    var nextTime: Int64? { lanes.nextTime }

    /// A fetch has ended. Returns who waits for it.
    mutating func ended(
        _ link: Link, _ picture: PictureFile?, wasSlow: Bool, at now: Int64
    ) -> [UInt64] {
        lanes.finish(host: link.host, wasSlow: wasSlow)
        guard let number = numbers.removeValue(forKey: link.url),
            let fetch = fetches.removeValue(forKey: number)
        else { return [] }
        let left = (owners[fetch.owner] ?? 1) - 1
        owners[fetch.owner] = left > 0 ? left : nil
        known[link.url] = Known(picture: picture, end: now + Self.lifetime)
        order.append(link.url)
        bytes += Self.size(link.url, picture)
        while bytes > Self.byteLimit { forgetOldest() }
        return fetch.tickets
    }

    /// Nothing is known any more: other addresses may be allowed now.
    mutating func forgetAll() { while !order.isEmpty { forgetOldest() } }

    private mutating func dropOld(at now: Int64) {
        while let oldest = order.first, let entry = known[oldest], entry.end <= now {
            forgetOldest()
        }
    }

    private mutating func forgetOldest() {
        guard let url = order.popFirst(), let entry = known.removeValue(forKey: url) else { return }
        bytes -= Self.size(url, entry.picture)
    }

    private static func size(_ url: String, _ picture: PictureFile?) -> Int {
        overhead + url.utf8.count + (picture?.bytes.count ?? 0)
    }
}
