import Base
import Testing
import WebPush

@testable import Desktop

/// A distributor with the test's clock, between applications and a link that only record.
struct Stage {
    var machine = Distributor()
    var time = Duration.seconds(1_000)
    private var lastCall: UInt64 = 0
    private var lastChannel: UInt64 = 0

    static let service = "org.example.App"
    static let key =
        "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    var moment: Distributor.Moment {
        Distributor.Moment(boot: time, wall: 1_700_000_000 + time.components.seconds)
    }

    static func channel(_ number: UInt64) -> ChannelID { ChannelID(Bits128(high: 0, low: number)) }

    static func key(_ token: String, sandbox: String = "") -> ClientKey {
        ClientKey(sandbox: sandbox, token: token)
    }

    mutating func register(
        _ token: String, _ service: String = service, sandbox: String = "",
        description: String = "", key: String? = nil, version: ConnectorVersion = .two,
        channel: ChannelID? = nil
    ) -> [DistributorAction] {
        lastCall += 1
        lastChannel += 1
        machine.register(
            RegisterCall(
                key: Self.key(token, sandbox: sandbox), service: service,
                description: description, applicationKey: key.flatMap { ApplicationKey($0) },
                version: version, channel: channel ?? Self.channel(lastChannel)), call: lastCall,
            at: moment)
        return machine.takeActions()
    }

    mutating func hear(
        _ event: (inout Distributor, Distributor.Moment) -> Void
    ) -> [DistributorAction] {
        event(&machine, moment)
        return machine.takeActions()
    }

    mutating func endpoint(_ url: String, on channel: UInt64 = 1) -> [DistributorAction] {
        hear { $0.obtained(url, for: Self.channel(channel), at: $1) }
    }

    mutating func withdraw(_ id: String) -> [DistributorAction] {
        hear { machine, _ in machine.withdrawn(Self.channel(1), message: id) }
    }

    mutating func fetch(_ signal: FetchCall) -> [DistributorAction] {
        hear { $0.fetch(signal, at: $1) }
    }

    mutating func push(
        _ id: String, on channel: UInt64 = 1, life: Duration? = .seconds(3_600),
        urgency: Urgency = .normal
    ) -> [DistributorAction] {
        let message = PushedMessage(
            channel: Self.channel(channel), id: id, body: Array(id.utf8),
            deadline: life.map { time + $0 }, urgency: urgency)
        return hear { $0.received(message, at: $1) }
    }

    mutating func owner(_ owner: String?, of name: String = service) -> [DistributorAction] {
        machine.ownerChanged(of: name, to: owner, at: moment)
        return machine.takeActions()
    }

    mutating func answer(
        _ call: UInt64?, _ outcome: ConnectorOutcome = .taken
    ) throws -> [DistributorAction] {
        machine.answered(try #require(call), outcome, at: moment)
        return machine.takeActions()
    }

    mutating func unregister(
        _ token: String, from caller: String = ":1.1", version: ConnectorVersion = .two
    ) -> [DistributorAction] {
        machine.unregister(Self.key(token), from: caller, version: version, at: moment)
        return machine.takeActions()
    }

    /// The first value says whether there is such an application.
    mutating func manage(
        _ body: (inout Distributor, Distributor.Moment) -> Bool
    ) -> (isDone: Bool, actions: [DistributorAction]) {
        let isDone = body(&machine, moment)
        return (isDone, machine.takeActions())
    }

    /// The delay of each of this many calls in a row.
    mutating func delays(_ count: Int, of caller: String = ":1.1") -> [Duration?] {
        var delays: [Duration?] = []
        for _ in 0..<count { delays.append(machine.delay(of: caller, at: moment)) }
        return delays
    }

    /// Calls `tick` whenever it is due, as the shell does.
    mutating func pass(_ duration: Duration) -> [DistributorAction] {
        let end = time + duration
        var actions: [DistributorAction] = []
        while let next = machine.nextTick, next <= end {
            time = max(time, next)
            machine.tick(at: moment)
            actions += machine.takeActions()
        }
        time = end
        return actions
    }

    /// A running application that is registered under channel 1 and knows its endpoint.
    static func running(_ version: ConnectorVersion = .two) throws -> Stage {
        var stage = Stage()
        _ = stage.register("token", version: version)
        _ = stage.owner(":1.1")
        let told = stage.endpoint("https://push.example/1")
        _ = try stage.answer(told.calls.first?.id)
        return stage
    }
}

extension [DistributorAction] {
    var calls: [(id: UInt64, call: ConnectorCall)] {
        compactMap { if case .call(let id, let call) = $0 { (id, call) } else { nil } }
    }

    /// The ids of messages that were handed to applications.
    var messages: [String] {
        calls.compactMap {
            if case .message(_, let id) = $0.call.content { id } else { nil }
        }
    }

    var endpoints: [String] {
        calls.compactMap { if case .endpoint(let url) = $0.call.content { url } else { nil } }
    }

    var answers: [RegisterAnswer] {
        compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
    }

    /// What the receivers are asked for.
    var requests: [DistributorAction] {
        filter {
            switch $0 {
            case .register, .unregister, .acknowledge, .reject: true
            case .answer, .call, .fetched, .save, .forget, .watch, .unwatch: false
            }
        }
    }

    var saved: [ClientRecord] {
        compactMap { if case .save(let record) = $0 { record } else { nil } }
    }
}
