import Testing

@testable import System

@Suite("Inputs that are set aside")
struct CrashLedgerTests {
    private let key: (UInt64, UInt64) = (1, 2)

    /// As the signal handler leaves it.
    private func crashed(
        _ ledger: CrashLedger, on text: String, _ kind: CrashMarker.Kind = .payload,
        subject: UInt32 = 0
    ) throws -> CrashLedger {
        let text = Array(text.utf8)
        var bytes = ledger.bytes
        let digest = CrashMarker.digest(kind, text.span, key: key)
        let numbers: [(UInt64, Int)] = [
            (4, 4), (UInt64(kind.rawValue), 4), (UInt64(subject), 8), (digest, 8),
        ]
        var place = CrashLedger.crashStart
        for (number, count) in numbers {
            for byte in 0..<count {
                bytes[place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
                place += 1
            }
        }
        return try #require(CrashLedger(bytes))
    }

    private func isSetAside(
        _ text: String, _ ledger: CrashLedger, _ kind: CrashMarker.Kind = .payload
    ) -> Bool {
        let text = Array(text.utf8)
        return SetAsideInputs(ledger).contains(kind, text.span)
    }

    private func name(
        _ kind: CrashMarker.Kind, _ one: String, _ two: String = "", key: (UInt64, UInt64) = (1, 2)
    ) -> UInt64 {
        let (one, two) = (Array(one.utf8), Array(two.utf8))
        return CrashMarker.digest(kind, one.span, two.span, key: key)
    }

    @Test("After one crash an input is tried again; after two, only that input is set aside")
    func twice() throws {
        var ledger = CrashLedger(key: key, program: 7)
        for expected in [false, true] {
            ledger = try crashed(ledger, on: "one")
            #expect(ledger.settle(program: 7, time: 5)?.isSetAside == expected)
            ledger = try #require(CrashLedger(ledger.bytes))
            #expect(isSetAside("one", ledger) == expected && !isSetAside("two", ledger))
            // A start after any other end changes nothing.
            #expect(ledger.settle(program: 7, time: 6) == nil)
        }
        #expect(!isSetAside("one", ledger, .command))
        #expect(ledger.entries.map(\.time) == [5])
    }

    @Test("Two inputs of one account set the account aside; those of several accounts do not")
    func account() throws {
        var ledger = CrashLedger(key: key, program: 7)
        for (text, subject) in [("one", 3), ("two", 4), ("three", 0), ("four", 0)] {
            ledger = try crashed(ledger, on: text, subject: UInt32(subject))
            #expect(ledger.settle(program: 7, time: 5)?.isSetAside == false)
        }
        #expect(ledger.entries.count == 4 && !SetAsideInputs(ledger).contains(.account, 3))
        ledger = try crashed(ledger, on: "five", .command, subject: 3)
        _ = ledger.settle(program: 7, time: 5)
        #expect(
            SetAsideInputs(ledger).contains(.account, 3)
                && !SetAsideInputs(ledger).contains(.account, 4))
    }

    @Test("One input set aside does not set its account aside; a second one does")
    func settled() throws {
        var ledger = CrashLedger(key: key, program: 7)
        for (text, subject) in [("one", 3), ("one", 3), ("other", 4), ("none", 0)] {
            ledger = try crashed(ledger, on: text, subject: UInt32(subject))
            _ = ledger.settle(program: 7, time: 5)
        }
        #expect(isSetAside("one", ledger) && !SetAsideInputs(ledger).contains(.account, 3))
        // Not twice for each new crash.
        ledger = try crashed(ledger, on: "two", subject: 3)
        _ = ledger.settle(program: 7, time: 5)
        #expect(SetAsideInputs(ledger).contains(.account, 3) && !isSetAside("two", ledger))
        #expect(
            !SetAsideInputs(ledger).contains(.account, 4)
                && !SetAsideInputs(ledger).contains(.account, 0))
    }

    @Test("The numbers of kinds never change")
    func numbers() {
        let kinds: [CrashMarker.Kind] = [
            .request, .frame, .payload, .command, .account, .registration, .message,
        ]
        #expect(
            kinds.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7] && kinds == CrashMarker.Kind.allCases)
    }

    @Test("Another program tries everything again")
    func update() throws {
        var ledger = CrashLedger(key: key, program: 7)
        for _ in 0..<2 {
            ledger = try crashed(ledger, on: "one")
            _ = ledger.settle(program: 7, time: 5)
        }
        #expect(ledger.settle(program: 8, time: 6) == nil)
        #expect(ledger.entries.isEmpty && !isSetAside("one", ledger))
    }

    @Test("The file stays one page and keeps the newest entries")
    func many() throws {
        var ledger = CrashLedger(key: key, program: 7)
        for number in 0..<300 {
            for _ in 0..<2 {
                ledger = try crashed(ledger, on: "\(number)")
                _ = ledger.settle(program: 7, time: 5)
            }
        }
        #expect(ledger.bytes.count == CrashLedger.size)
        #expect(isSetAside("299", ledger) && !isSetAside("0", ledger))
    }

    @Test("A foreign file is ignored", arguments: [0, 1, 4_095, 4_096, 5_000])
    func foreign(length: Int) {
        #expect(CrashLedger([UInt8](repeating: 0xff, count: length)) == nil)
    }

    @Test("A digest depends on every byte, on the kind and on where a part ends")
    func digests() {
        let first = name(.payload, "ab", "c")
        #expect(first == name(.payload, "ab", "c"))
        #expect(first != name(.command, "ab", "c"))
        #expect(first != name(.payload, "abc"))
        #expect(first != name(.payload, "ab", "d"))
        #expect(first != name(.payload, "ab", "c", key: (1, 3)))
    }
}
