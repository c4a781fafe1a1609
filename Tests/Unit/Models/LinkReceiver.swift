import Base
import WebPush

/// A receiver in memory: names, channels and one connection.
struct LinkReceiver {
    package enum Place: Hashable {
        case away
        case dialled
        case up
        case greeted

        var isUp: Bool { self == .up || self == .greeted }
    }

    enum Request: Hashable {
        case register(ChannelID)
        case unregister(ChannelID)
    }

    enum Answer: Equatable {
        case endpoint(ChannelID, String)
        case refused(ChannelID)
        case other
    }

    /// Bellwire's own receiver after every second loss of its store, so that both kinds are met.
    private(set) var isOurs = true
    private var stores: [String: [ChannelID: String]] = [:]
    private var number = 0
    /// The name on the present connection.
    private(set) var name: String?
    var place = Place.away
    /// Hello was said on this connection.
    var wasGreeted = false
    var saidName: String?
    var requests: [Request] = []
    var owesPong = false
    private(set) var lastAnswer: Answer?
    /// Channels whose endpoint the desktop was told.
    private(set) var told: Set<ChannelID> = []

    mutating func hangUp() {
        place = .away
        requests = []
        wasGreeted = false
        owesPong = false
    }

    mutating func forget() {
        stores = [:]
        isOurs.toggle()
    }

    /// The name that hello is answered with; nil before hello.
    mutating func greet() -> String? {
        guard wasGreeted else { return nil }
        place = .greeted
        if let saidName, stores[saidName] != nil {
            name = saidName
        } else {
            number += 1
            name = "name-\(number)"
            stores["name-\(number)"] = [:]
        }
        return name
    }

    func hello(_ name: String) -> String {
        let extensions = isOurs ? #","extensions":["ttl","topic","urgency","withdrawn"]"# : ""
        return #"{"messageType":"hello","uaid":"\#(name)","status":200\#(extensions)}"#
    }

    func endpoint(of channel: ChannelID) -> String? { name.flatMap { stores[$0]?[channel] } }

    /// Does what the oldest request says, and returns the answer.
    mutating func handleNext(status: Int) -> String? {
        guard !requests.isEmpty, let name else { return nil }
        let request = requests.removeFirst()
        switch request {
        case .register(let channel):
            let start = #"{"messageType":"register","channelID":"\#(Self.uuid(channel))""#
            guard status == 200 else {
                if status < 500 { stores[name]?[channel] = nil }
                lastAnswer = status < 500 ? .refused(channel) : .other
                return start + #","status":\#(status),"pushEndpoint":""}"#
            }
            // Another receiver makes a new endpoint each time.
            let present = isOurs ? stores[name]?[channel] : nil
            number += 1
            let endpoint = present ?? "https://push.example/\(number)"
            stores[name, default: [:]][channel] = endpoint
            told.insert(channel)
            lastAnswer = .endpoint(channel, endpoint)
            return start + #","status":200,"pushEndpoint":"\#(endpoint)"}"#
        case .unregister(let channel):
            lastAnswer = .other
            if status < 500 { stores[name]?[channel] = nil }
            return #"{"messageType":"unregister","channelID":"\#(Self.uuid(channel))""#
                + #","status":\#(status)}"#
        }
    }

    static func notification(_ channel: ChannelID, _ version: String) -> String {
        #"{"messageType":"notification","channelID":"\#(uuid(channel))","version":"\#(version)"}"#
    }

    private static func uuid(_ channel: ChannelID) -> String {
        var text: [UInt8] = []
        channel.bits.appendUUID(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// What the desktop has on its disk, and what it owes the receiver.
struct LinkHall {
    static let slots = 3

    /// The name under which the next process says hello.
    var name: String?
    /// The name of the last greeting, which this process knows.
    var greetedAs: String?
    /// The channel of each application that is registered.
    private(set) var channels: [ChannelID?] = Array(repeating: nil, count: slots)
    /// The endpoints that applications were told.
    var endpoints: [ChannelID: String] = [:]
    /// Channels that have ended, until the link forgets them.
    var ended: Set<ChannelID> = []
    var unfinished: [(channel: ChannelID, version: String)] = []
    /// Finished messages that the receiver was not told of.
    var unsent: [(channel: ChannelID, version: String)] = []
    /// What the receiver answers at this moment.
    var expected: LinkReceiver.Answer?
    private var number: UInt64 = 0

    func isOpen(_ channel: ChannelID) -> Bool { channels.contains(channel) }

    mutating func open(_ slot: Int) -> ChannelID {
        number += 1
        let channel = ChannelID(Bits128(high: 0x1234_5678_0000_4000, low: number))
        channels[slot] = channel
        return channel
    }

    mutating func close(_ slot: Int) -> ChannelID? {
        guard let channel = channels[slot] else { return nil }
        drop(channel)
        ended.insert(channel)
        return channel
    }

    mutating func drop(_ channel: ChannelID) {
        for slot in channels.indices where channels[slot] == channel { channels[slot] = nil }
        unsent.removeAll { $0.channel == channel }
        unfinished.removeAll { $0.channel == channel }
    }

    mutating func nextVersion() -> String {
        number += 1
        return "v\(number)"
    }

    /// Messages come again from the receiver.
    mutating func restart() { (unfinished, unsent, greetedAs) = ([], [], name) }
}
