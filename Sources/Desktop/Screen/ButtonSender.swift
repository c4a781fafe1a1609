import Base
import Crypto
import HTTP
import System

/// Sends the requests of buttons with nothing of the person's or of ours.
///
/// Only the thread of the loop uses it.
final class ButtonSender {
    private let context: TLSContext
    private let loop: EventLoop
    private let log: Log
    /// Where the receivers of this session listen on this machine: no button speaks to them.
    var receivers: [SocketAddress] = []

    init(trust context: TLSContext, on loop: EventLoop, log: Log) {
        (self.context, self.loop, self.log) = (context, loop, log)
    }

    func send(_ button: ButtonRequest, _ done: @escaping (ButtonPress.State) -> Void) {
        let objection = objection(to: button)
        StatusClient.send(
            button.request, trust: context, on: loop, objection: objection
        ) { [log] result in
            if case .failure(let failure) = result {
                log.write(.warning, "button.not.sent", [("reason", failure.reason)])
            }
            done(ButtonPress.State(result))
        }
    }

    /// The guard of callbacks. What the owner of a topic allowed by its name may be inside, and is
    /// rarely encrypted there.
    private func objection(
        to button: ButtonRequest
    ) -> @Sendable (SocketAddress) -> DialRefusal? {
        var dialGuard = DialGuard()
        dialGuard.sendsClearInside = true
        dialGuard.listeners = receivers.compactMap { receiver in
            guard case .ip(let address, let port) = receiver else { return nil }
            return (address, port)
        }
        let (mayStayInside, isEncrypted) = (button.mayStayInside, button.request.url.isEncrypted)
        return { [dialGuard] address in
            guard case .ip(let address, let port) = address else { return .notInternet }
            return dialGuard.refusal(
                of: address, port: port, reachesInside: mayStayInside, isEncrypted: isEncrypted,
                isOurs: { _ in false })
        }
    }
}

extension ButtonPress.State {
    init(_ result: Result<Int, ClientFailure>) {
        switch result {
        case .success(let status): self = .answered(status: status)
        case .failure(let failure): self = ButtonPress.State(failure)
        }
    }

    private init(_ failure: ClientFailure) {
        switch failure {
        case .forbidden: self = .unsent(.forbidden)
        case .untrusted, .brokenHandshake: self = .unsent(.untrusted)
        default: self = failure.isBeforeRequest ? .unsent(.unreached) : .unknown
        }
    }
}
