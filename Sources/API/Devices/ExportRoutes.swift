import Base
import Mailbox
import PushService
import System

/// `/api/v1/exports`: what the store has about a device or an owner, handed out in parts.
///
/// An export keeps the store as it was at one moment, and meanwhile the log of changes cannot be
/// emptied. So there is one at a time, it has to be fetched without long pauses, and it ends after
/// ten minutes.
final class ExportRoutes: TimerHandler {
    typealias Answer = DeviceRoutes.Answer

    private struct Running {
        let number: UInt32
        let export: StoreExport
        let caller: ControlCaller
        /// Milliseconds since boot.
        let end: Int64
        let timer: TimerID
        var isReading = false
    }

    private static let longest: Int64 = 600_000
    private static let longestPause: Int64 = 60_000
    /// The writer empties the log in this time. Somebody without rights over the server cannot
    /// prevent that by one export after the other.
    private static let rest: Int64 = 10_000

    private let loop: EventLoop
    private let dialogue: StoreDialogue
    private var running: Running?
    private var lastNumber: UInt32 = 0
    private var restsUntil: Int64 = 0

    init(on loop: EventLoop, _ dialogue: StoreDialogue) {
        self.loop = loop
        self.dialogue = dialogue
    }

    /// The caller may see all of it.
    func begin(_ subject: ExportSubject, _ caller: ControlCaller, _ answer: Answer) {
        let now = Boot.milliseconds
        guard running == nil, caller == .administrator || now >= restsUntil else {
            return answer(.failure(.exporting))
        }
        lastNumber &+= 1
        running = Running(
            number: lastNumber, export: StoreExport(subject), caller: caller,
            end: now + Self.longest,
            timer: loop.schedule(after: Interval(.milliseconds(Self.longestPause)), self))
        var writer = JSONWriter()
        writer.object { $0.member("export", Int(lastNumber)) }
        answer(.success((201, writer.bytes)))
    }

    /// Answers with the next part, which is no JSON by itself, or with 204 after the last.
    func next(_ number: UInt32, _ caller: ControlCaller, _ answer: @escaping Answer) {
        guard let current = running, current.number == number, current.caller == caller,
            !current.isReading
        else { return answer(.failure(.unknown)) }
        running?.isReading = true
        let pause = min(Self.longestPause, max(current.end - Boot.milliseconds, 0))
        loop.reschedule(current.timer, after: Interval(.milliseconds(pause)))
        dialogue.load(.export(current.export)) { [self] loaded in
            if running?.number == number { running?.isReading = false }
            switch loaded {
            case .export(let part?): answer(.success((200, part)))
            case .export(nil):
                end(number)
                answer(.success((204, [])))
            default:
                end(number)
                answer(.failure(.unavailable))
            }
        }
    }

    /// Whatever is under way may have what is to be forgotten.
    func endAll() {
        if let running { end(running.number) }
    }

    func timerFired(_ cookie: UInt64) { endAll() }

    private func end(_ number: UInt32) {
        guard let current = running, current.number == number else { return }
        loop.cancel(current.timer)
        running = nil
        restsUntil = Boot.milliseconds + Self.rest
    }
}

/// Forgets a device or an owner, so that nothing of it stays in the store's files. Who may forget
/// something may also export what is stored about it.
final class FarewellRoutes {
    typealias Answer = DeviceRoutes.Answer

    private let dialogue: StoreDialogue
    private let exports: ExportRoutes

    init(_ dialogue: StoreDialogue, _ exports: ExportRoutes) {
        self.dialogue = dialogue
        self.exports = exports
    }

    /// Whatever is being exported may have what is forgotten here.
    func forget(_ subject: ExportSubject, _ answer: @escaping Answer) {
        exports.endAll()
        let operation: StoreOperation =
            switch subject {
            case .device(let row): .forgetCredential(row)
            case .owner(let row): .forgetOwner(row)
            }
        dialogue.submit(operation) { answer(APIResult(ofRemoval: $0)) }
    }

    func export(_ subject: ExportSubject, _ caller: ControlCaller, _ answer: Answer) {
        exports.begin(subject, caller, answer)
    }
}
