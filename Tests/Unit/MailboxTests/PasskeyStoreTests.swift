import Crypto
import Testing

@testable import Mailbox

@Suite("Passkeys in the store")
struct PasskeyStoreTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    static func passkey(
        _ name: String = "laptop", id: UInt8 = 1, owner: String = "admin", count: UInt32 = 0
    ) throws -> Passkey {
        Passkey(
            owner: owner, name: name, id: [id, 2, 3], key: try PrivateKey.generate().publicKey,
            count: count)
    }

    private func all(of owner: String = "admin") throws -> [Passkey] {
        guard case .passkeys(let all) = try test.load(.passkeys(.owner(owner))) else { return [] }
        return all
    }

    @Test("One is kept as it is, known once, and removed by its owner alone")
    func kept() throws {
        let passkey = try Self.passkey()
        try test.expectDone(.passkey(.add(passkey)))
        #expect(try test.run(.passkey(.add(try Self.passkey("again")))) == .conflict)
        try test.restart()
        let stored = try #require(try all().first)
        for (id, count) in [(passkey.id, 1), ([9], 0)] {
            guard case .passkeys(let found) = try test.load(.passkeys(.id(id))) else { return }
            #expect(found.count == count)
        }
        #expect(stored.id == passkey.id && stored.key == passkey.key && stored.name == "laptop")
        #expect(stored.lastUsed == nil && stored.owner == "admin" && stored.row > 0)
        let other = PasskeyOperation.remove(row: stored.row, owner: "uid:7")
        #expect(try test.run(.passkey(other)) == .notFound)
        try test.expectDone(.passkey(.remove(row: stored.row, owner: "admin")))
        #expect(try all().isEmpty)
    }

    @Test("A key that counts is used with a higher count each time; one that does not, always")
    func counts() throws {
        try test.expectDone(.passkey(.add(try Self.passkey())))
        let row = try all()[0].row
        func use(_ count: UInt32) throws -> StoreOutcome {
            try test.run(.passkey(.use(row: row, count: count)))
        }
        let outcomes = try [0, 0, 5, 5, 4, 0, 6].map { try use($0) }
        #expect(
            outcomes == [.done, .done, .done, .conflict, .conflict, .conflict, .done])
        #expect(try all()[0].lastUsed != nil)
    }

    @Test("An owner has a number of them, and all end with the owner")
    func limit() throws {
        for id in 0..<UInt8(Passkey.most) {
            try test.expectDone(.passkey(.add(try Self.passkey(id: id, owner: "uid:7"))))
        }
        let more = PasskeyOperation.add(try Self.passkey(id: 99, owner: "uid:7"))
        #expect(try test.run(.passkey(more)) == .full)
        try test.expectDone(.passkey(.add(try Self.passkey(id: 99))))
        guard case .owners(let owners) = try test.load(.owners) else { return }
        let owner = try #require(owners.first { $0.name == "uid:7" })
        try test.expectDone(.removeOwner(owner.row))
        #expect(try all().count == 1)
        #expect(try all(of: "uid:7").isEmpty)
    }
}
