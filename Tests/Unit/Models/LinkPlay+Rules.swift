import Base
import Desktop
import WebPush

/// Judges what the link does.
extension LinkPlay {
    /// How many requests may be unanswered.
    private static let requestLimit = 8
    /// Mozilla's service ends connections that ping more often than this.
    private static let pingInterval = Duration.seconds(45)
    private static let longestPause = Duration.seconds(3_600)

    mutating func perform() {
        for action in link.takeActions() {
            switch action {
            case .connect: connect()
            case .disconnect: receiver.hangUp()
            case .greeted: break
            case .send(let text): sent(text)
            case .remember(let name):
                if name != receiver.name { fail("it remembers a name that nobody gave it") }
                hall.name = name
            case .endpoint(let channel, let endpoint): told(channel, endpoint)
            case .refuse(let channel, _): refused(channel)
            case .forget(let channel): forgotten(channel)
            }
        }
    }

    private mutating func connect() {
        if receiver.place != .away { fail("it connects although it is connected") }
        if isToldToStay { fail("it connects although the receiver told it to stay away") }
        if now < holdUntil, !isWoken { fail("it connects before the receiver's pause is over") }
        // What the receiver asked for ends with the next connection.
        holdUntil = .zero
        receiver.place = .dialled
        lastPing = nil
    }

    private mutating func sent(_ text: [UInt8]) {
        guard receiver.place.isUp else { return fail("it sends without a connection") }
        guard let root = try? JSONDocument(text).root else { return fail("it sends no JSON") }
        let channel = root["channelID"]?.text.flatMap { text in
            Array(text.utf8).withUnsafeBufferPointer { Bits128(uuid: $0.span) }.map(ChannelID.init)
        }
        guard let type = root["messageType"]?.text else { return pinged() }
        guard (type == "hello") == (receiver.place == .up && !receiver.wasGreeted) else {
            return fail("it says \(type) in the wrong place")
        }
        if type != "hello", receiver.place != .greeted { fail("it says \(type) before the answer") }
        switch (type, channel) {
        case ("hello", _): said(hello: root["uaid"]?.text)
        case ("register", let channel?): asked(.register(channel))
        case ("unregister", let channel?): asked(.unregister(channel))
        case ("ack", _): acknowledged(root["updates"]?.elements.first)
        case ("urgency", _):
            if !receiver.isOurs { fail("it sends what another receiver does not know") }
        default: fail("it sends \(type)")
        }
    }

    private mutating func pinged() {
        if receiver.place != .greeted { fail("it pings before it is greeted") }
        if let lastPing, now - lastPing < Self.pingInterval { fail("it pings too often") }
        lastPing = now
        receiver.owesPong = true
    }

    private mutating func said(hello name: String?) {
        if name ?? "" != hall.greetedAs ?? "" { fail("it says hello under another name") }
        receiver.wasGreeted = true
        receiver.saidName = name
    }

    private mutating func asked(_ request: LinkReceiver.Request) {
        if receiver.requests.contains(request) { fail("it asks twice for the same") }
        receiver.requests.append(request)
        if receiver.requests.count > Self.requestLimit { fail("it asks for too much at once") }
        switch request {
        case .register(let channel):
            if !hall.isOpen(channel) { fail("it registers a channel that has ended") }
            if !receiver.isOurs, let told = hall.endpoints[channel],
                receiver.endpoint(of: channel) == told
            {
                fail("it asks a foreign receiver for a channel that it has: it would be replaced")
            }
        case .unregister(let channel):
            if !hall.ended.contains(channel) { fail("it unregisters a channel that is in use") }
        }
    }

    private mutating func acknowledged(_ update: JSONNode?) {
        guard let due = hall.unsent.first, update?["version"]?.text == due.version else {
            return fail("it acknowledges what is not finished, or in another order")
        }
        hall.unsent.removeFirst()
    }

    private mutating func told(_ channel: ChannelID, _ endpoint: String) {
        if !hall.isOpen(channel) { fail("it tells the endpoint of a channel that has ended") }
        if hall.endpoints[channel] == endpoint { fail("it tells an endpoint that is known") }
        if case .endpoint(channel, endpoint)? = hall.expected {
        } else {
            fail("it tells an endpoint that the receiver did not just give")
        }
        hall.endpoints[channel] = endpoint
    }

    private mutating func refused(_ channel: ChannelID) {
        guard hall.isOpen(channel), case .refused(channel)? = hall.expected else {
            return fail("it refuses a channel that the receiver did not refuse")
        }
        hall.drop(channel)
    }

    private mutating func forgotten(_ channel: ChannelID) {
        guard hall.ended.remove(channel) != nil else {
            return fail("it forgets a channel that has not ended")
        }
        if receiver.told.contains(channel), receiver.endpoint(of: channel) != nil,
            hall.endpoints[channel] != nil
        {
            fail("it forgets a channel that the receiver still has")
        }
    }

    mutating func check() {
        let isNeeded = hall.channels.contains { $0 != nil } || !hall.ended.isEmpty
        switch receiver.place {
        case .away where isNeeded && !isToldToStay:
            guard let deadline = link.deadline else { return fail("it never connects again") }
            if deadline > now + Self.longestPause { fail("it waits too long") }
        case .greeted where !receiver.requests.isEmpty || receiver.owesPong:
            guard let deadline = link.deadline, deadline <= now + .seconds(10) else {
                return fail("it waits for an answer without an end")
            }
        default: break
        }
    }

    /// The receiver is well and answers everything.
    package mutating func settle() {
        happen(.wake)
        var steps = 0
        while finding == nil, steps < 200 {
            steps += 1
            if receiver.place == .dialled || receiver.place == .up {
                happen(.welcome)
            } else if receiver.owesPong {
                happen(.pong)
            } else if !receiver.requests.isEmpty {
                happen(.answer(status: 200))
            } else if link.deadline != nil {
                happen(.passToDeadline)
            } else {
                break
            }
        }
        if steps == 200 { fail("it never comes to rest") }
        guard finding == nil else { return }
        for channel in hall.channels.compactMap(\.self)
        where hall.endpoints[channel] == nil
            || receiver.endpoint(of: channel) != hall.endpoints[channel]
        {
            fail("an application has another endpoint than its receiver knows")
        }
        if !hall.ended.isEmpty { fail("the receiver is never told that a channel has ended") }
        if receiver.place == .greeted, hall.channels.allSatisfy({ $0 == nil }) {
            fail("it stays connected although nothing needs the receiver")
        }
    }

    package struct State: Hashable {
        let place: LinkReceiver.Place
        let channels: [Int]
        let ended: Int
        let requests: Int
        let flags: [Bool]
    }

    package var state: State {
        State(
            place: receiver.place,
            channels: hall.channels.map { channel in
                guard let channel else { return 0 }
                let told = hall.endpoints[channel]
                return told == nil ? 1 : told == receiver.endpoint(of: channel) ? 2 : 3
            }, ended: min(hall.ended.count, 3), requests: receiver.requests.count,
            flags: [
                isToldToStay, receiver.owesPong, receiver.isOurs, hall.name == receiver.name,
                hall.greetedAs == receiver.name,
                !hall.unsent.isEmpty, !hall.unfinished.isEmpty, now < holdUntil,
                link.deadline == nil,
            ])
    }
}
