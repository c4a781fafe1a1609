import Base
import Crypto
import Testing

@Suite("Secrets under a passphrase")
struct PassphraseSealTests {
    private let secret = Secret(Array("thirty-two bytes of a master key".utf8).span)

    private func passphrase(_ text: String) -> Secret { Secret(Array(text.utf8).span) }

    private func opened(_ sealed: [UInt8], _ text: String) throws(PassphraseSeal.Failure) -> String
    {
        try PassphraseSeal.open(sealed.span, under: passphrase(text))
            .withSpan { String(decoding: $0.array($0.indices), as: UTF8.self) }
    }

    @Test("Only the passphrase opens it")
    func passphrase() throws {
        let sealed = try PassphraseSeal.seal(secret, under: passphrase("words"), .none)
        #expect(try opened(sealed, "words") == "thirty-two bytes of a master key")
        for other in ["word", "wordss", "Words", ""] {
            #expect(throws: PassphraseSeal.Failure.wrongPassphrase) {
                try opened(sealed, other)
            }
        }
        let again = try PassphraseSeal.seal(secret, under: passphrase("words"), .none)
        #expect(again != sealed)
    }

    @Test("The usual cost works, within its memory")
    func usual() throws {
        let sealed = try PassphraseSeal.seal(secret, under: passphrase("words"))
        #expect(try opened(sealed, "words") == "thirty-two bytes of a master key")
        #expect(sealed[1] == 16 && sealed[2] == 2)
    }

    @Test("A changed or cut one does not open, and cannot ask for more memory than there is")
    func changed() throws {
        let sealed = try PassphraseSeal.seal(secret, under: passphrase("words"), .none)
        for place in sealed.indices where place != 1 && place != 2 {
            var other = sealed
            other[place] ^= 1
            #expect(throws: PassphraseSeal.Failure.self) { try opened(other, "words") }
        }
        for length in 0..<sealed.count {
            #expect(throws: PassphraseSeal.Failure.self) {
                try opened(Array(sealed[..<length]), "words")
            }
        }
        for (place, value) in [(1, 0), (1, 19), (1, 255), (2, 0), (2, 5), (2, 255)] {
            var other = sealed
            other[place] = UInt8(value)
            #expect(throws: PassphraseSeal.Failure.unknownFormat) { try opened(other, "words") }
        }
    }
}
