import Reactor

/// The sessions of one loop, whatever they speak, by the pass with which they came.
///
/// Confined to its loop, but for `end`.
// Unchecked: touched by the thread of the loop alone.
package final class SessionRegister: @unchecked Sendable {
    let loop: EventLoop
    @exclusivity(unchecked) private var sessions: [Pass: [ObjectIdentifier: any PassHolder]] = [:]

    init(on loop: EventLoop) { self.loop = loop }

    /// In the turn in which its pass was looked at, so that an end after that finds it.
    package func enter(_ session: any PassHolder, with pass: Pass) {
        sessions[pass, default: [:]][ObjectIdentifier(session)] = session
    }

    package func leave(_ session: any PassHolder, with pass: Pass) {
        sessions[pass]?[ObjectIdentifier(session)] = nil
        if sessions[pass]?.isEmpty == true { sessions[pass] = nil }
    }

    /// Lets all go whose pass is over. From any thread.
    func end(where isOver: @escaping @Sendable (Pass) -> Bool) {
        loop.post {
            for pass in self.sessions.keys.filter(isOver) {
                let ended = self.sessions.removeValue(forKey: pass) ?? [:]
                for session in ended.values { session.passEnded() }
            }
        }
    }

    /// After the end of the loop, when no other thread knows the register.
    func forgetAll() { sessions = [:] }
}
