import Base
import TestSupport
import Testing

@testable import Mailbox

@Suite("Owners")
struct OwnerTests {
    private func credential(_ test: TestStore, of owner: String) throws -> DeviceCredential {
        let credential = try draft(test, owner, "device \(test.store.index.counters.credential)")
        try test.expectDone(.addCredential(credential))
        return credential
    }

    private func draft(_ test: TestStore, _ owner: String, _ name: String) throws
        -> DeviceCredential
    {
        DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: name,
            owner: owner, created: 1)
    }

    @Test("Each owner gets only one of many concurrent devices with the same name")
    func names() throws {
        let test = try TestStore()
        for owner in ["ann", "bob"] {
            let drafts = try (0..<20).map { _ in try draft(test, owner, "desk") }
            let tickets = drafts.map { test.submit(.addCredential($0)) }
            let outcomes = try tickets.map { try test.box.outcome($0) }
            #expect(outcomes == [.done] + [StoreOutcome](repeating: .conflict, count: 19))
            #expect(drafts.count { test.store.index.credential($0.secret) != nil } == 1)
        }
    }

    @Test("An owner cannot exceed the device limit, even with concurrent requests")
    func devices() throws {
        let test = try TestStore()
        let tickets = try (0...OwnerLimits.devices).map { number in
            test.submit(.addCredential(try draft(test, "ann", "device \(number)")))
        }
        let outcomes = try tickets.map { try test.box.outcome($0) }
        #expect(outcomes.count { $0 == .done } == OwnerLimits.devices && outcomes.last == .full)
        try test.expectDone(.addCredential(try draft(test, "bob", "desk")))
    }

    private func owners(_ test: TestStore) throws -> [Owner] {
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        return owners
    }

    @Test("Removing an owner removes credentials, devices, endpoints and waiting messages")
    func removal() throws {
        let test = try TestStore()
        try test.expectDone(.addOwner(name: "bob"))
        #expect(try test.run(.addOwner(name: "bob")) == .conflict)
        let (ann, bob) = (try credential(test, of: "ann"), try credential(test, of: "bob"))
        let device = try test.addDevice(credential: ann.row)
        let subscription = try test.register(device)
        let other = try test.register(try test.addDevice(credential: bob.row))
        try test.keep(subscription.address)
        _ = try test.addRegistration(owner: "ann")
        let list = try owners(test)
        #expect(list.map(\.registrations) == [0, 1] && list.map(\.userAgents) == [1, 1])
        #expect(list.map(\.name) == ["bob", "ann"])
        #expect(list.map(\.devices) == [1, 1] && list.map(\.endpoints) == [1, 2])
        let index = test.store.index
        #expect(index.usage(ofOwner: list[1].row).messages == 1)
        #expect(index.usage(ofOwner: list[0].row).messages == 0)

        try test.expectDone(.removeOwner(list[1].row))
        #expect(try test.run(.removeOwner(list[1].row)) == .notFound)
        #expect(index.endpoint(subscription.digest) == .gone)
        #expect(index.credential(ann.secret) == nil && index.credential(bob.secret) != nil)
        #expect(index.endpoint(other.digest) != .gone)
        #expect(index.usage(ofOwner: list[1].row).messages == 0)
        #expect(try owners(test).map(\.name) == ["bob"])
    }

    @Test("An owner's limit of user agents counts only the owner's own")
    func limit() throws {
        let test = try TestStore()
        let (ann, bob) = (try credential(test, of: "ann"), try credential(test, of: "bob"))
        let second = try credential(test, of: "ann")
        for number in 0..<OwnerLimits.userAgents {
            _ = try test.addDevice(credential: number % 2 == 0 ? ann.row : second.row)
        }
        #expect(throws: TestStore.Unexpected.self) { try test.addDevice(credential: ann.row) }
        #expect(throws: TestStore.Unexpected.self) { try test.addDevice(credential: second.row) }
        _ = try test.addDevice(credential: bob.row)
        _ = try test.addDevice()
        try test.expectDone(.removeCredential(second.row))
        _ = try test.addDevice(credential: ann.row)
    }

    @Test("A network's limit of strangers counts only its own user agents")
    func strangers() throws {
        let test = try TestStore()
        let key = test.store.endpointKey
        let numbers = try [1, 2].map { try StrangerNumber(network: $0, key: key) }
        for _ in 0..<OwnerLimits.userAgents { _ = try test.addDevice(stranger: numbers[0]) }
        #expect(throws: TestStore.Unexpected.self) { try test.addDevice(stranger: numbers[0]) }
        _ = try test.addDevice(stranger: numbers[1])
        _ = try test.addDevice()
        #expect(try owners(test).isEmpty)
    }

    @Test("With an owner goes what callbacks were still to be told, and others are told")
    func callbacks() throws {
        let test = try TestStore()
        _ = try credential(test, of: "ann")
        let rows = try ["ann", "ann", "bob"].map { owner in
            let row = try test.addRegistration(owner: owner).0.device
            try test.make(row)
            try test.settle(row, .delivered)
            try test.expectDone(.callback(.add(try test.event("a push"), to: row)))
            return row
        }
        // This one still has to be told that its registration has ended.
        let last = try test.event("the end")
        try test.expectDone(
            .registration(.end(device: rows[1]), telling: [.end(callback: rows[1], last: last)]))
        #expect(try test.record(rows[1])?.state == .ending)
        let ann = try #require(try owners(test).first { $0.name == "ann" })
        try test.expectDone(.removeOwner(ann.row))
        #expect(try test.record(rows[0]) == nil)
        #expect(try test.record(rows[1]) == nil)
        #expect(try test.deliverAll(rows[2]) == ["a push"])
    }

    @Test("A later owner of the same name does not get the former owner's answers")
    func answers() throws {
        let test = try TestStore()
        _ = try credential(test, of: "ann")
        let (request, body) = (try test.digest(), try test.digest())
        func create(_ answer: String) throws -> StoreOutcome {
            let (registration, subscription) = try test.draft(owner: "ann")
            let kept = KeptAnswer(request: request, body: body, answer: Array(answer.utf8))
            return try test.run(
                .registration(
                    .create(registration, subscription, credential: nil, limit: nil, kept)))
        }
        #expect(try create("former") == .done)
        let ann = try #require(try owners(test).first { $0.name == "ann" })
        try test.expectDone(.removeOwner(ann.row))
        _ = try credential(test, of: "ann")
        #expect(try create("her own") == .done)
    }
}
