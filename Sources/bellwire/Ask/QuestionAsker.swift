import Base
import Glibc
import Outbound
import System

/// Asks a question, and waits for its end through lost connections and restarts of the server.
final class QuestionAsker: Sendable {
    /// A request that waits is sent again after this many seconds.
    private static let turn = 60
    /// In microseconds.
    private static let pause: UInt32 = 500_000

    private let wish: AskWish
    private let place: AskPlace
    /// Once it is known.
    private let asked = Lock<(id: String, place: AskPlace)?>(nil)
    /// In milliseconds since the machine was started.
    private let end: Int64

    init(_ wish: AskWish, _ place: AskPlace) {
        (self.wish, self.place) = (wish, place)
        end = Boot.milliseconds + Int64(wish.wait) * 1_000
    }

    private var rest: Int { Int(max(0, end - Boot.milliseconds) + 999) / 1_000 }

    /// Prints the answer, and says by the exit code how the question ended.
    func run(printsJSON: Bool) throws -> ExitCode {
        var isToldAway = false
        while true {
            do {
                let (id, place) = try asked.withLock { $0 } ?? ask()
                if let ended = try wait(for: id, place) { return try report(ended, printsJSON) }
            } catch let refusal as Refused {
                refusal.report()
                return .unavailable
            } catch let failure as Unreached {
                // The server knows the end of the question a moment after this command does.
                guard rest > 0 else {
                    if let refusal = failure.refusal {
                        refusal.report()
                        return .unavailable
                    }
                    StandardError.write("bellwire: the server was not reached in time\n")
                    return .unreached
                }
                if !isToldAway {
                    let name = Printable.text((asked.withLock { $0 }?.place ?? place).name)
                    StandardError.write("bellwire: no server answers at \(name); trying again\n")
                }
                isToldAway = true
                usleep(Self.pause)
            }
        }
    }

    private func ask() throws -> (id: String, place: AskPlace) {
        let request = try place.asking(wish)
        let root = try send(request)
        guard let id = root["id"]?.text else { throw CommandError.unreadable }
        let found = (id: id, place: place.staying(after: request))
        asked.withLock { $0 = found }
        return found
    }

    /// Nil if it has not ended yet.
    private func wait(for id: String, _ place: AskPlace) throws -> JSONNode? {
        let root = try send(try place.waiting(for: id, min(max(1, rest), Self.turn)))
        return root["state"]?.text == "open" ? nil : root
    }

    /// It cannot be reached now, or asks to come again.
    private struct Unreached: Error {
        var refusal: Refused?
    }

    /// The server would refuse the same again.
    private struct Refused: Error {
        let message: String
        let status: Int

        func report() {
            let hint: String? =
                switch status {
                case 401: "look whether the token is right, and has not ended"
                case 403: "who asks needs a credential that may push to the topic"
                case 404: "look at the name: bellwire topic list"
                default: nil
                }
            CommandError(message: message, hint: hint).report()
        }
    }

    private func send(_ request: HTTPRequest) throws -> JSONNode {
        let response: HTTPResponse
        do throws(CurlError) {
            response = try HTTPClient.send(request, userAgent: "bellwire/\(ProgramVersion.text)")
        } catch {
            guard !error.isDistrust, !error.lacksAuthorities else { throw error }
            throw Unreached()
        }
        switch response.status {
        case 200..<300:
            // It ends with the connection, perhaps before it is whole.
            guard let root = JSONNode(json: response.body) else { throw Unreached() }
            return root
        case 408, 425, 500...: throw Unreached()
        case 429: throw Unreached(refusal: Self.refusal(response))
        default: throw Self.refusal(response)
        }
    }

    private static func refusal(_ response: HTTPResponse) -> Refused {
        let root = JSONNode(json: response.body)
        // ntfy's language names it otherwise than the API.
        let said = root?["code"] == nil ? root?["message"]?.text : root?["error"]?.text
        return Refused(
            message: said ?? "the server answered with status \(response.status)",
            status: response.status)
    }

    private func report(_ ended: JSONNode, _ printsJSON: Bool) throws -> ExitCode {
        let answer = ended["answer"]?.text ?? ""
        if printsJSON {
            try StandardOutput.write(String(decoding: ended.source, as: UTF8.self) + "\n")
        } else if ended["state"]?.text == "answered" {
            try StandardOutput.write(answer + "\n")
        }
        switch ended["state"]?.text {
        case "answered": return answer == wish.answers.first ? .success : .failure
        case "expired": return .refused
        default: return .unavailable
        }
    }
}

/// An interrupted command.
extension QuestionAsker {
    /// Takes the question back before the process ends.
    func withdrawAtSignal(_ signals: TerminalSignals) throws {
        try WorkThread(name: "signals") { [self] in
            while true {
                switch signals.next() {
                case .resize, .goOn: break
                case .pause: TerminalSignals.stop()
                case .end:
                    // Nobody is there to be told whether it worked.
                    if let (id, place) = asked.withLock({ $0 }) ?? (try? ask()) {
                        _ = try? send(try place.withdrawal(of: id))
                    }
                    _exit(ExitCode.unavailable.rawValue)
                }
            }
        }.detach()
    }
}
