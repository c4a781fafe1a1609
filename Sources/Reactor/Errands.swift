/// Runs work that may block for ever, such as opening files of other programs. Each piece of work
/// has its own thread, and waiting for it is limited. Only one loop uses it.
// Unchecked: it is used only on the thread of the loop.
package final class Errands: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Interval
    /// The most threads at a time: a thread that hangs may never end.
    private let most: Int
    private var running = 0

    package init(on loop: EventLoop, limit: Duration, atMost most: Int) {
        self.loop = loop
        self.limit = Interval(limit)
        self.most = most
    }

    /// Calls `done` with nil if there was no answer in time or no thread for it. Calls `back` when
    /// the work has ended, however late.
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
        errand.complete(answer)
    }

    // Unchecked: it is used only on the thread of the loop.
    private final class Errand<Answer: Sendable>: TimerHandler, @unchecked Sendable {
        var timer: TimerID?
        let back: () -> Void
        private var done: ((Answer?) -> Void)?

        init(_ done: @escaping (Answer?) -> Void, _ back: @escaping () -> Void) {
            self.done = done
            self.back = back
        }

        /// Only the first call has an effect.
        func complete(_ answer: Answer?) {
            guard let done else { return }
            self.done = nil
            done(answer)
        }

        func refuse() {
            complete(nil)
            back()
        }

        func timerFired(_ cookie: UInt64) {
            timer = nil
            complete(nil)
        }
    }
}
