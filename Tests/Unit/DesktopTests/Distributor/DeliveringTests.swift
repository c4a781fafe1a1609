import Testing
import WebPush

@testable import Desktop

@Suite("Delivering to applications")
struct DeliveringTests {
    private let missing = ConnectorOutcome.unreachable("it is not running")

    private func acknowledged(_ id: String) -> DistributorAction {
        .acknowledge(Stage.channel(1), message: id)
    }

    @Test("One message is delivered at a time, and any return acknowledges it")
    func oneByOne() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        #expect(first.messages == ["a"])
        #expect(first.calls.first?.call.startsService == false)
        #expect(stage.push("b").isEmpty)
        let second = try stage.answer(first.calls.first?.id)
        #expect(second.requests == [acknowledged("a")])
        #expect(second.messages == ["b"])
        #expect(try stage.answer(second.calls.first?.id).requests == [acknowledged("b")])
    }

    @Test("A hanging application delays no other")
    func hanging() throws {
        var stage = try Stage.running()
        for number in 0..<1_000 { _ = stage.push("\(number)") }
        _ = stage.register("other", "org.example.Other")
        _ = stage.owner(":1.2", of: "org.example.Other")
        let told = stage.endpoint("https://push.example/2", on: 2)
        _ = try stage.answer(told.calls.first?.id)
        #expect(stage.push("x", on: 2).messages == ["x"])
        #expect(stage.register("token").answers == [.registered])
    }

    @Test("An application that does not run is started, with pauses from 5 s to 5 min")
    func starts() throws {
        var stage = try Stage.running()
        _ = stage.owner(nil)
        var actions = stage.push("a")
        var pauses: [Int64] = []
        for _ in 0..<9 {
            #expect(actions.calls.first?.call.startsService == true)
            actions = try stage.answer(actions.calls.first?.id, missing)
            #expect(actions.calls.isEmpty)
            let start = stage.time
            let next = try #require(stage.machine.nextTick)
            pauses.append((next - start).components.seconds)
            actions = stage.pass(next - start)
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300])
        #expect(stage.machine.applications.first?.trouble == "it is not running")
        #expect(stage.machine.applications.first?.waiting == 1)
    }

    @Test("When its name appears, an application gets all waiting messages in order")
    func appears() throws {
        var stage = try Stage.running()
        _ = stage.owner(nil)
        let start = stage.push("a")
        _ = stage.push("b")
        _ = try stage.answer(start.calls.first?.id, missing)
        let first = stage.owner(":1.5")
        #expect(first.messages == ["a"])
        #expect(first.calls.first?.call.startsService == false)
        #expect(try stage.answer(first.calls.first?.id).messages == ["b"])
    }

    @Test("A message that is withdrawn while its call runs is not tried again")
    func withdrawnUnderWay() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.withdraw("a")
        let rest = try stage.answer(
            first.calls.first?.id, .unreachable("it ended without answering"))
        #expect(rest.messages.isEmpty && rest.requests.isEmpty)
        #expect(stage.pass(.seconds(600)).messages.isEmpty)
    }

    @Test("A message that comes again while its call runs is tried again, and delivered once")
    func returnedUnderWay() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.withdraw("a")
        #expect(stage.push("a").messages.isEmpty)
        _ = try stage.answer(first.calls.first?.id, .unreachable("it ended without answering"))
        let second = stage.owner(":1.5")
        #expect(second.messages == ["a"])
        #expect(try stage.answer(second.calls.first?.id).messages.isEmpty)
    }

    @Test("A registration under the same token gets no message of the one before")
    func inherited() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.unregister("token")
        _ = stage.register("token")
        let told = stage.endpoint("https://push.example/2", on: 2)
        let rest = try stage.answer(
            first.calls.first?.id, .unreachable("it ended without answering"))
        #expect((told + rest + stage.pass(.seconds(600))).messages.isEmpty)
    }

    @Test("An endpoint that came while another was announced is not recorded as announced")
    func newerEndpoint() throws {
        var stage = Stage()
        _ = stage.register("token")
        _ = stage.owner(":1.1")
        let first = stage.endpoint("https://push.example/1")
        _ = stage.endpoint("https://push.example/2")
        let second = try stage.answer(first.calls.first?.id)
        #expect(second.saved.map(\.endpoint) == ["https://push.example/1"])
        #expect(second.endpoints == ["https://push.example/2"])
        let last = try stage.answer(second.calls.first?.id)
        #expect(last.saved.map(\.endpoint) == ["https://push.example/2"])
    }

    @Test("After a crash before the answer, the application restarts with the same message")
    func crash() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.push("b")
        _ = stage.owner(nil)
        let again = try stage.answer(
            first.calls.first?.id, .unreachable("it ended without answering"))
        #expect(again.messages == ["a"])
        #expect(again.calls.first?.call.startsService == true)
        // It ends again, so the next start has to wait.
        #expect(try stage.answer(again.calls.first?.id, missing).calls.isEmpty)
        #expect(stage.hear { $0.woken(at: $1) }.calls.isEmpty)
        #expect(stage.pass(.seconds(5)).messages == ["a"])
    }

    @Test("A name that passes to another instance loses no message")
    func handover() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.owner(":1.6")
        let again = try stage.answer(
            first.calls.first?.id, .unreachable("it ended without answering"))
        #expect(again.messages == ["a"])
    }

    @Test("A new registration, the network or time lead to another attempt")
    func retries() throws {
        var stage = try Stage.running()
        func refused(_ actions: [DistributorAction]) throws {
            #expect(actions.messages == ["a"])
            _ = try stage.answer(
                actions.calls.last?.id, .unreachable("too many messages wait on the bus"))
        }
        try refused(stage.push("a"))
        try refused(stage.hear { $0.woken(at: $1) })
        try refused(stage.pass(.seconds(5)))
        let endpoint = stage.register("token")
        #expect(endpoint.messages == [])
        #expect(try stage.answer(endpoint.calls.first?.id).messages == ["a"])
    }

    @Test("A silent application of the first generation counts as served after 25 s")
    func silentFirstGeneration() throws {
        var stage = try Stage.running(.one)
        #expect(stage.push("a").calls.first?.call.version == .one)
        #expect(stage.pass(.seconds(24)).isEmpty)
        #expect(stage.pass(.seconds(1)).requests == [acknowledged("a")])
    }

    @Test("An application of the second generation must answer; it gets no second call")
    func silentSecondGeneration() throws {
        var stage = try Stage.running()
        _ = stage.push("a")
        #expect(stage.pass(.seconds(299)).isEmpty)
        #expect(stage.pass(.seconds(60)).messages == ["a"])
        #expect(stage.machine.applications.first?.trouble == "it does not answer")
    }

    @Test("A call made before the machine slept is not repeated", arguments: [true, false])
    func asleep(isRunning: Bool) throws {
        var stage = try Stage.running()
        if !isRunning { _ = stage.owner(nil) }
        let call = stage.push("a", life: .seconds(172_800))
        stage.time += .seconds(86_400)
        #expect(stage.hear { $0.woken(at: $1) }.isEmpty)
        #expect(stage.pass(.zero).isEmpty)
        #expect(try stage.answer(call.calls.first?.id).requests == [acknowledged("a")])
        #expect(stage.pass(.seconds(86_400)).calls.isEmpty)
    }

    @Test("A start may take longer than an answer")
    func slowStart() throws {
        var stage = try Stage.running(.one)
        _ = stage.owner(nil)
        let start = stage.push("a")
        #expect(stage.pass(.seconds(100)).isEmpty)
        _ = stage.owner(":1.8")
        #expect(stage.pass(.seconds(10)).isEmpty)
        #expect(try stage.answer(start.calls.first?.id).requests == [acknowledged("a")])
    }

    @Test("A missing method is tried in the other version and at the other path")
    func ways() throws {
        var stage = try Stage.running()
        var actions = stage.push("a")
        var tried: [String] = []
        for _ in 0..<3 {
            let call = try #require(actions.calls.first?.call)
            tried.append("\(call.version.rawValue) \(call.path)")
            actions = try stage.answer(actions.calls.first?.id, .unsupported)
        }
        let call = try #require(actions.calls.first?.call)
        tried.append("\(call.version.rawValue) \(call.path)")
        let path = ConnectorCall.usualPath
        #expect(tried == ["2 \(path)", "1 \(path)", "2 /", "1 /"])
        let done = try stage.answer(actions.calls.first?.id)
        #expect(done.requests == [acknowledged("a")])
        #expect(done.saved.first?.version == .one)
        #expect(done.saved.first?.path == "/")
        let next = try #require(stage.push("b").calls.first?.call)
        #expect(next.version == .one)
        #expect(next.path == "/")
    }

    @Test("Messages for a program without a connector are refused after some rounds")
    func deadLetter() throws {
        var stage = try Stage.running()
        var actions = stage.push("a")
        _ = stage.push("b")
        var calls = 0
        while actions.requests.isEmpty {
            if let call = actions.calls.first {
                calls += 1
                actions = try stage.answer(call.id, .unsupported)
            } else {
                actions = stage.pass(.seconds(300))
            }
        }
        #expect(calls == 20)
        #expect(actions.requests == [.reject(Stage.channel(1), message: "a")])
        #expect(
            stage.machine.applications.first?.trouble == "it has no UnifiedPush connector")
    }

    @Test("An unknown token only rejects its own message")
    func unknownToken() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.push("b")
        let second = try stage.answer(first.calls.first?.id, .refused)
        #expect(second.requests == [.reject(Stage.channel(1), message: "a")])
        #expect(second.messages == ["b"])
    }

    @Test("A repeated message is ignored while it waits, and acknowledged after delivery")
    func repeats() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.push("b")
        #expect(stage.push("a").isEmpty)
        #expect(stage.push("b").isEmpty)
        _ = try stage.answer(first.calls.first?.id)
        let again = stage.push("a")
        #expect(again.requests == [acknowledged("a")])
        #expect(again.calls.isEmpty)
    }

    @Test("An expired message is not delivered")
    func expiry() throws {
        var stage = try Stage.running()
        _ = stage.owner(nil)
        let start = stage.push("kept", life: .seconds(7_200))
        _ = try stage.answer(start.calls.first?.id, missing)
        _ = stage.push("old", life: .seconds(30))
        stage.time += .seconds(31)
        let first = stage.owner(":1.5")
        #expect(first.requests == [.reject(Stage.channel(1), message: "old")])
        #expect(first.messages == ["kept"])
        #expect(try stage.answer(first.calls.first?.id).messages == [])
    }

    @Test("A message for now or never starts no application and is tried once")
    func nowOrNever() throws {
        var stage = try Stage.running()
        let there = stage.push("a", life: nil)
        #expect(there.messages == ["a"])
        let failed = try stage.answer(
            there.calls.first?.id, .unreachable("it ended without answering"))
        #expect(failed.requests == [.reject(Stage.channel(1), message: "a")])
        _ = stage.owner(nil)
        #expect(
            stage.push("b", life: nil) == [.reject(Stage.channel(1), message: "b")])
    }

    @Test("A message for now or never waits a second for those before it, and no longer")
    func soonOrNever() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.push("b", life: nil)
        stage.time += .milliseconds(900)
        let second = try stage.answer(first.calls.first?.id)
        #expect(second.messages == ["b"])
        _ = stage.push("c", life: nil)
        stage.time += .seconds(1)
        let last = try stage.answer(second.calls.first?.id)
        #expect(last.messages == [])
        #expect(last.requests.contains(.reject(Stage.channel(1), message: "c")))
    }

    @Test("A withdrawn message is not delivered")
    func withdrawn() throws {
        var stage = try Stage.running()
        let first = stage.push("a")
        _ = stage.push("b")
        _ = stage.withdraw("b")
        #expect(try stage.answer(first.calls.first?.id).messages == [])
    }

    @Test("The endpoint comes before the messages that were sent to it")
    func endpointFirst() throws {
        var stage = Stage()
        _ = stage.register("token")
        _ = stage.endpoint("https://push.example/1")
        _ = stage.push("a")
        let first = stage.owner(":1.1")
        #expect(first.endpoints.count == 1)
        #expect(first.messages == [])
        #expect(try stage.answer(first.calls.first?.id).messages == ["a"])
    }

    @Test("A muted application gets its messages after it is unmuted")
    func muted() throws {
        var stage = try Stage.running()
        let muting = stage.manage { $0.setMuted(true, Stage.service, at: $1) }
        #expect(muting.isDone)
        #expect(muting.actions.saved.first?.isMuted == true)
        #expect(stage.push("a").isEmpty)
        let unmuting = stage.manage { $0.setMuted(false, Stage.service, at: $1) }
        #expect(unmuting.actions.messages == ["a"])
        let nobody = stage.manage { $0.setMuted(true, "org.example.Nobody", at: $1) }
        #expect(!nobody.isDone)
    }

    @Test(
        "A message below the application's urgency waits until it runs",
        arguments: [Urgency.normal, .high])
    func urgency(enough: Urgency) throws {
        var stage = try Stage.running()
        let bounded = stage.manage { $0.setLeastUrgency(.normal, Stage.service, at: $1) }
        #expect(bounded.isDone)
        _ = stage.owner(nil)
        #expect(stage.push("low", urgency: .low).isEmpty)
        let start = stage.push("enough", urgency: enough)
        #expect(start.messages == ["enough"])
        _ = stage.owner(":1.3")
        #expect(try stage.answer(start.calls.first?.id).messages == ["low"])
    }

    @Test("Waiting signals are merged; a signal in delivery is followed by another")
    func fetch() throws {
        var stage = try Stage.running()
        let first = stage.fetch(FetchCall(service: Stage.service, version: 1))
        #expect(first.calls.first?.call.content == .message(Array("version=1".utf8), id: ""))
        #expect(stage.fetch(FetchCall(service: Stage.service, version: 2)).isEmpty)
        #expect(stage.fetch(FetchCall(service: Stage.service, version: 9)).isEmpty)
        let second = try stage.answer(first.calls.first?.id)
        #expect(second.calls.first?.call.content == .message(Array("version=9".utf8), id: ""))
        #expect(try stage.answer(second.calls.first?.id).calls.isEmpty)
    }

    @Test("A signal is confirmed after the application's answer, and delivered once until then")
    func fetchTaken() throws {
        var stage = try Stage.running()
        func signal(_ id: String, _ count: Int64 = 1) -> FetchCall {
            var signal = FetchCall(source: "me", id: id, service: Stage.service, version: 3)
            signal.count = count
            return signal
        }
        func heard(_ actions: [DistributorAction]) -> [String?] {
            actions.compactMap { if case .fetched(let signal) = $0 { signal.id } else { nil } }
        }
        let first = stage.fetch(signal("1"))
        // The engine started over and repeats what was not confirmed.
        #expect(stage.fetch(signal("1")).isEmpty && stage.fetch(signal("2")).isEmpty)
        let second = try stage.answer(first.calls.first?.id)
        #expect(heard(second) == ["1"] && second.calls.count == 1)
        // The engine did not record the confirmation: it gets it again, and the application gets
        // nothing.
        let again = stage.fetch(signal("1"))
        #expect(heard(again) == ["1"] && again.calls.isEmpty)
        // Another push was added during the second call, so it needs a further call.
        #expect(stage.fetch(signal("2", 2)).isEmpty)
        let third = try stage.answer(second.calls.first?.id)
        #expect(heard(third) == ["2"] && third.calls.count == 1)
        let failed = try stage.answer(third.calls.first?.id, .unreachable("gone"))
        #expect(heard(failed).isEmpty)
    }

    @Test("Delivery times are stored at most once a minute")
    func deliveryTimes() throws {
        var stage = try Stage.running()
        var saved = 0
        for number in 0..<120 {
            let actions = stage.push("\(number)")
            saved += try stage.answer(actions.calls.first?.id).saved.count
            stage.time += .seconds(1)
        }
        #expect(saved == 2)
        #expect(
            stage.machine.applications.first?.lastDelivery == stage.moment.wall - 1)
    }

    @Test("A removed application is told with its token, but not started")
    func removed() throws {
        var stage = try Stage.running()
        _ = stage.push("a")
        let (isDone, actions) = stage.manage { $0.removeApplication(Stage.service, at: $1) }
        #expect(isDone)
        #expect(actions.requests == [.unregister(Stage.channel(1))])
        let call = try #require(actions.calls.first?.call)
        #expect(call.content == .unregistered(isConfirmation: false))
        #expect(!call.startsService)
        #expect(stage.machine.applications == [])
    }
}
