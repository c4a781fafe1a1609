import Base
import Crypto
import TestSupport
import Testing

@Suite("Sealed fields")
struct SealerTests {
    static let place = Sealer.Place(table: "registration", row: 7, column: "private_key")
    static let text: [UInt8] = Array("a private key".utf8)

    private func open(
        _ sealed: [UInt8], _ sealer: inout Sealer, at place: Sealer.Place = Self.place
    ) -> Result<[UInt8], Sealer.Failure> {
        do throws(Sealer.Failure) {
            let secret = try sealer.open(sealed.span, at: place)
            return .success(secret.withSpan { $0.array($0.indices) })
        } catch {
            return .failure(error)
        }
    }

    @Test("A field opens where it was sealed")
    func roundTrip() throws {
        var sealer = try Sealer(current: .generate())
        for text in [Self.text, [], [UInt8](repeating: 3, count: 5000)] {
            let sealed = try sealer.seal(text.span, at: Self.place)
            #expect(open(sealed, &sealer) == .success(text))
        }
    }

    @Test("A field does not open in another row, column or table")
    func moved() throws {
        var sealer = try Sealer(current: .generate())
        let sealed = try sealer.seal(Self.text.span, at: Self.place)
        let places = [
            Sealer.Place(table: "registration", row: 8, column: "private_key"),
            Sealer.Place(table: "registration", row: 7, column: "auth"),
            Sealer.Place(table: "registrationp", row: 7, column: "rivate_key"),
        ]
        for place in places { #expect(open(sealed, &sealer, at: place) == .failure(.damaged)) }
    }

    @Test("A field does not open under another owner")
    func owners() throws {
        func place(_ owner: Sealer.Owner) -> Sealer.Place {
            Sealer.Place(table: "registration", row: 7, column: "private_key", owner: owner)
        }
        let owners: [Sealer.Owner] = [
            .nobody, .number(0), .number(1), .name(""), .name("ann"), .name("bob"),
        ]
        var sealer = try Sealer(current: .generate())
        for owner in owners {
            let sealed = try sealer.seal(Self.text.span, at: place(owner))
            for other in owners {
                let isOwn = open(sealed, &sealer, at: place(other)) == .success(Self.text)
                #expect(isOwn == (other == owner), "\(owner) \(other)")
            }
        }
    }

    @Test("A field that was changed anywhere does not open")
    func changed() throws {
        var sealer = try Sealer(current: .generate())
        let sealed = try sealer.seal(Self.text.span, at: Self.place)
        for index in sealed.indices {
            var copy = sealed
            copy[index] ^= 1
            var isOpen = false
            if case .success = open(copy, &sealer) { isOpen = true }
            #expect(!isOpen, "byte \(index)")
        }
        for prefix in prefixes(of: sealed) {
            var isOpen = false
            if case .success = open(prefix, &sealer) { isOpen = true }
            #expect(!isOpen, "cut at \(prefix.count)")
        }
    }

    @Test("Sealing a text twice gives different bytes")
    func salted() throws {
        var sealer = try Sealer(current: .generate())
        let first = try sealer.seal(Self.text.span, at: Self.place)
        let second = try sealer.seal(Self.text.span, at: Self.place)
        #expect(first[9..<41] != second[9..<41] && first[41...] != second[41...])
    }

    @Test("After a rotation old fields open, and new ones have the new key's id")
    func rotation() throws {
        let old = try MasterKey.generate()
        let new = try MasterKey.generate()
        var before = try Sealer(current: old)
        let sealed = try before.seal(Self.text.span, at: Self.place)
        var after = try Sealer(current: new, former: [old])
        #expect(open(sealed, &after) == .success(Self.text))
        let wasCurrent = after.isSealedUnderCurrentKey(sealed.span)
        let resealed = try after.seal(Self.text.span, at: Self.place)
        let isCurrent = after.isSealedUnderCurrentKey(resealed.span)
        #expect(!wasCurrent && isCurrent)
        #expect(open(resealed, &before) == .failure(.unknownMasterKey(id: new.id)))
    }
}
