import Base
import WebPush

@testable import Desktop

/// A link, and a receiver that answers as the test says.
struct LinkStory {
    var link: Link
    var now = Duration.seconds(1_000)
    var connects = 0
    var disconnects = 0
    var greetings = 0
    var sent: [String] = []
    var told: [Link.Action] = []

    init(userAgent: String? = nil, ended: [ChannelID] = []) {
        link = Link(userAgent: userAgent, ended: ended)
    }

    static func channel(_ number: UInt64) -> ChannelID {
        ChannelID(Bits128(high: 0x1234_5678_0000_4000, low: number))
    }

    static func uuid(_ number: UInt64) -> String {
        var text: [UInt8] = []
        channel(number).bits.appendUUID(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    mutating func collect() {
        for action in link.takeActions() {
            switch action {
            case .connect: connects += 1
            case .disconnect: disconnects += 1
            case .greeted: greetings += 1
            case .send(let text): sent.append(String(decoding: text, as: UTF8.self))
            default: told.append(action)
            }
        }
    }

    mutating func register(_ number: UInt64, key: ApplicationKey? = nil, known: String? = nil) {
        link.register(Self.channel(number), key: key, known: known, at: now)
        collect()
    }

    mutating func opened() {
        link.opened(at: now)
        collect()
    }

    @discardableResult
    mutating func hear(_ text: String) -> ServiceMessage? {
        let bytes = Array(text.utf8)
        let arrival = link.received(bytes.span, at: now, chance: 0)
        collect()
        return arrival
    }

    mutating func hello(_ name: String, isOurs: Bool = true) {
        opened()
        let extensions = isOurs ? #","extensions":["ttl","topic","urgency","withdrawn"]"# : ""
        hear(#"{"messageType":"hello","uaid":"\#(name)","status":200\#(extensions)}"#)
    }

    mutating func registered(_ number: UInt64, _ endpoint: String, status: Int = 200) {
        hear(
            #"{"messageType":"register","channelID":"\#(Self.uuid(number))","status":\#(status)"#
                + #","pushEndpoint":"\#(endpoint)"}"#)
    }

    mutating func closed(isFinal: Bool = false, pause: Duration = .zero) {
        link.closed(at: now, chance: 0, pause: pause, isFinal: isFinal)
        collect()
    }

    mutating func pass(_ time: Duration) {
        now += time
        link.elapsed(at: now, chance: 0)
        collect()
    }

    /// Attempts to connect that fail, and the pauses after them.
    mutating func fail(_ count: Int, pausing pause: Duration) {
        for _ in 0..<count {
            closed()
            pass(pause)
        }
    }

    mutating func wake() {
        link.wake(at: now)
        collect()
    }
}
