import HTTP

/// What each failure means for whoever runs the receiver.
extension ReceiverTest {
    static let forgotten = HopResult.failed(
        .redelivery, "the receiver has forgotten us",
        advice: "its store was lost: see that its state folder is kept")

    static func notRegistered(_ status: Int) -> HopResult {
        .failed(
            .endpoint, "the receiver gave none, with status \(status)",
            advice: "look at the log of bellwire serve")
    }

    static func changed(_ hop: Hop) -> HopResult {
        .failed(
            hop, "another message came than was sent",
            advice: "something on the way changes bodies: let the proxy pass them as they are")
    }

    static func buffered(_ delay: Duration) -> HopResult {
        .failed(
            .delivery, "it came only after \(text(delay))",
            advice: "switch off buffering in the proxy: deploy/nginx has a sample")
    }

    static func notPushed(_ reason: String) -> HopResult {
        .failed(
            .push, "no answer to a push: \(reason)",
            advice: "the address must be reachable from here as it is for senders")
    }

    static func notTaken(_ status: Int) -> HopResult {
        let advice =
            switch status {
            case 401, 403: "the clocks of this machine and of the receiver must agree"
            case 404: "a proxy must pass /wpush to the receiver, with the path unchanged"
            case 413: "a proxy must take bodies of 8 KiB"
            case 429: "too many pushes in a short time: try again in a minute"
            case 500...: "the receiver, or its disk, has trouble: look at its log"
            default: "look at the log of bellwire serve"
            }
        return .failed(.push, "refused with status \(status)", advice: advice)
    }

    static func notConnected(_ failure: WebSocketClientFailure, host: String) -> HopResult {
        let (finding, advice) =
            switch failure {
            case .unknownName: ("no address", "enter \(host) in the DNS, or in /etc/hosts")
            case .unreachable(let error):
                (
                    "nothing answers: \(error)",
                    "start the server, and let the port through the firewall"
                )
            case .untrusted(let error):
                (
                    "the certificate is not trusted: \(error)",
                    "renew it, or name the authority of a development certificate by --ca-file"
                )
            case .brokenHandshake(let error):
                ("no TLS: \(error)", "base-url says https: the port behind it must speak TLS")
            case .refused(let status, _) where status == 401:
                ("the credential is refused", "make a new one by bellwire device add")
            case .refused(let status, _):
                (
                    "the upgrade to a WebSocket is answered \(status)",
                    "the proxy must pass Upgrade and Connection on: deploy/nginx has a sample"
                )
            case .badAnswer, .unreadableAnswer:
                ("what answers is no WebSocket", "base-url leads to something else: correct it")
            case .timedOut(let stage), .lost(let stage):
                ("nothing more comes at \(stage.rawValue)", "see what stands between, and its log")
            case .cancelled: ("called off", "try again")
            }
        return .failed(.connection, finding, advice: advice)
    }
}
