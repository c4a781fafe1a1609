import Base
import Crypto
import Testing

@testable import Mailbox

@Suite("Credentials in memory")
struct CredentialTableTests {
    private static func credential(_ row: UInt32) throws -> DeviceCredential {
        var hash = try SHA256()
        let secret = Digest(try hash.digest(of: Array("\(row)".utf8).span))
        return DeviceCredential(row: row, secret: secret, name: "a", owner: "o", created: 1)
    }

    @Test("One is found by its secret and by its row until it ends")
    func both() throws {
        var table = CredentialTable()
        let (one, two) = (try Self.credential(1), try Self.credential(2))
        table.set(one)
        table.set(two)
        table.change(one.secret) { $0.name = "b" }
        #expect(table[one.secret]?.name == "b" && table[row: 1]?.name == "b")
        #expect(table[row: 2]?.name == "a" && table[row: 3] == nil)
        #expect(table.remove(one.secret) == 1)
        #expect(table.remove(one.secret) == nil)
        table.change(one.secret) { $0.name = "c" }
        #expect(table[one.secret] == nil && table[row: 1] == nil && table[row: 2] != nil)
    }

    @Test("To find one by its row takes no look at the others", .timeLimit(.minutes(1)))
    func many() throws {
        let index = StoreIndex(quota: QuotaLimits())
        let rows: ClosedRange<UInt32> = 1...50_000
        for row in rows { index.set(try Self.credential(row)) }
        #expect(rows.allSatisfy { index.credential(row: $0)?.row == $0 })
    }
}
