import Base
import Testing

@testable import Mailbox

@Suite("Owners")
struct OwnerTests {
    private func credential(_ test: TestStore, of owner: String) throws -> Credential {
        let credential = Credential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: "a",
            owner: owner, created: 1)
        try test.expectDone(.addCredential(credential))
        return credential
    }

    private func owners(_ test: TestStore) throws -> [Owner] {
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        return owners
    }

    @Test("Removed, an owner takes along credentials, devices, endpoints and what waits")
    func removal() throws {
        let test = try TestStore()
        try test.expectDone(.addOwner(name: "bob"))
        #expect(try test.run(.addOwner(name: "bob")) == .conflict)
        let (ann, bob) = (try credential(test, of: "ann"), try credential(test, of: "bob"))
        let device = try test.addDevice(credential: ann.row)
        let subscription = try test.register(device)
        let other = try test.register(try test.addDevice(credential: bob.row))
        try test.keep(subscription.address)
        let list = try owners(test)
        #expect(list.map(\.name) == ["bob", "ann"])
        #expect(list.map(\.devices) == [1, 1] && list.map(\.endpoints) == [1, 1])
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

    @Test("An owner has so many user agents and no more, whatever the others have")
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
}
