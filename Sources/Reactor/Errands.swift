/// Work that may block for as long as others like, as opening what is theirs does: each piece runs on
/// a thread of its own, and is waited for no longer than a limit. Confined to a loop.
// Unchecked: touched by the thread of the loop alone.
package final class Errands: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Interval
    /// So many threads at most: one that hangs may never come back.
    private let most: Int
    private var running = 0

    package init(on loop: EventLoop, limit: Duration, atMost most: Int) {
        self.loop = loop
        self.limit = Interval(limit)
        self.most = most
    }

    /// `done` hears nil when there was no answer in time, or no thread for it. `back` is called when
    /// the work came to its end, however late.
    package func run<Answer: Sendable>(
        _ work: @escaping @Sendable () -> Answer, done: @escaping (Answer?) -> Void,
        back: @escaping () -> Void = {}
    ) {
        let errand = Errand(done, back)
        guard running < most else { return errand.refuse() }
        do throws(ReactorError) {
            try WorkThread(name: "errand") { [self, loop] in
                let answer = work()
                loop.post { self.ended(errand, answer) }
            }.letGo()
        } catch {
            return errand.refuse()
        }
        running += 1
        errand.timer = loop.schedule(after: limit, errand)
    }

    private func ended<Answer>(_ errand: Errand<Answer>, _ answer: Answer) {
        running -= 1
        if let timer = errand.timer { loop.cancel(timer) }
        errand.back()
        errand.answer(answer)
    }

    // Unchecked: touched by the thread of the loop alone.
    private final class Errand<Answer: Sendable>: TimerHandler, @unchecked Sendable {
        var timer: TimerID?
        let back: () -> Void
        private var done: ((Answer?) -> Void)?

        init(_ done: @escaping (Answer?) -> Void, _ back: @escaping () -> Void) {
            self.done = done
            self.back = back
        }

        /// Once; what comes later reaches nobody.
        func answer(_ answer: Answer?) {
            guard let done else { return }
            self.done = nil
            done(answer)
        }

        func refuse() {
            answer(nil)
            back()
        }

        func timerFired(_ cookie: UInt64) {
            timer = nil
            answer(nil)
        }
    }
}
