import Delivery
import Testing
import WebPush

@testable import Mailbox

@Suite("Fetch signals")
struct FetchSignalsTests {
    private func signal(_ number: UInt64, expires: Int64 = 100) -> FetchSignal {
        FetchSignal(
            id: MessageID(high: 0, low: number), version: number, arrival: Int64(number),
            expiry: StoreTime(milliseconds: expires))
    }

    @Test("Signals not handed out yet are merged into one that counts them")
    func merge() {
        var signals = FetchSignals()
        for number: UInt64 in [7, 3, 9] {
            signals.add(signal(number, expires: number == 3 ? 500 : 100))
        }
        let taken = signals.handOut()
        #expect(taken?.id == MessageID(high: 0, low: 7) && taken?.count == 3)
        // The last version counts, not the largest, and the expiry never moves forward.
        #expect(taken?.version == 9 && taken?.expiry == StoreTime(milliseconds: 500))
        #expect(signals.waiting == nil)
    }

    @Test("A signal that arrives while another is in flight stays separate")
    func inFlight() {
        var signals = FetchSignals()
        signals.add(signal(1))
        let first = signals.handOut()
        signals.add(signal(2))
        #expect(signals.inFlight == first && first?.count == 1)
        // Until the first is confirmed, it is handed out again unchanged.
        #expect(signals.handOut() == first)
        signals.confirm(MessageID(high: 0, low: 1))
        #expect(signals.handOut()?.id == MessageID(high: 0, low: 2))
        signals.confirm(MessageID(high: 0, low: 2))
        #expect(signals.handOut() == nil)
    }

    @Test("Confirming another id ends no signal")
    func otherConfirmation() {
        var signals = FetchSignals()
        signals.add(signal(1))
        _ = signals.handOut()
        signals.confirm(MessageID(high: 0, low: 5))
        #expect(signals.handOut()?.id == MessageID(high: 0, low: 1))
    }

    @Test("An expired signal is not handed out")
    func expiry() {
        var signals = FetchSignals()
        signals.add(signal(1, expires: 50))
        signals.expire(at: StoreTime(milliseconds: 49))
        #expect(signals.waiting != nil)
        signals.expire(at: StoreTime(milliseconds: 50))
        #expect(signals.handOut() == nil)
    }

    @Test("In any sequence, each push is followed by a signal, and there are no extra signals")
    func anyStory() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var signals = FetchSignals()
            var (pushes, handed) = (0, 0)
            /// Pushes since the last signal began.
            var uncovered = 0
            for _ in 0..<40 {
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    pushes += 1
                    uncovered += 1
                    signals.add(signal(UInt64(pushes)))
                case 1:
                    let isRepeat = signals.inFlight != nil
                    if signals.handOut() != nil, !isRepeat {
                        handed += 1
                        uncovered = 0
                    }
                default: if let id = signals.inFlight?.id { signals.confirm(id) }
                }
                #expect(handed <= pushes)
                #expect(uncovered == 0 || signals.waiting?.count == uncovered)
            }
        }
    }
}
