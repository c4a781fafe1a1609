import HTTP

/// What each failure means to the administrator of the receiver.
extension ReceiverTest {
    static let forgotten = HopResult.failed(
        .redelivery, "the receiver has forgotten this user agent",
        advice: "its store was lost: make sure that its state folder is kept")

    static func notRegistered(_ status: Int) -> HopResult {
        .failed(
            .endpoint, "the receiver made no endpoint (status \(status))",
            advice: "read the log of bellwire serve")
    }

    static func changed(_ hop: Hop) -> HopResult {
        .failed(
            hop, "the message that arrived is not the one that was sent",
            advice: "something changes bodies on the way: make the proxy pass them unchanged")
    }

    static func buffered(_ delay: Duration) -> HopResult {
        .failed(
            .delivery, "it arrived only after \(text(delay))",
            advice: "switch off buffering in the proxy; deploy/nginx has a sample")
    }

    static func notPushed(_ reason: String) -> HopResult {
        .failed(
            .push, "no answer to a push: \(reason)",
            advice: "make the address reachable from here, as it is for senders")
    }

    static func notTaken(_ status: Int) -> HopResult {
        let advice =
            switch status {
            case 401, 403: "set the clocks of this machine and of the receiver"
            case 404: "make the proxy pass /wpush to the receiver with the path unchanged"
            case 413: "make the proxy accept bodies of 8 KiB"
            case 429: "too many pushes in a short time; try again in a minute"
            case 500...: "the receiver or its disk has a problem; read its log"
            default: "read the log of bellwire serve"
            }
        return .failed(.push, "refused with status \(status)", advice: advice)
    }

    /// `isNew`: the credential was made a moment ago, by the server that is tested.
    static func notConnected(
        _ failure: WebSocketClientFailure, host: String, isNew: Bool = false
    ) -> HopResult {
        let (finding, advice) =
            switch failure {
            case .unknownName: ("no address", "add \(host) to the DNS or to /etc/hosts")
            case .unreachable(let error):
                (
                    "nothing answers: \(error)",
                    "start the server and open the port in the firewall"
                )
            case .untrusted(let error):
                (
                    "the certificate is not trusted: \(error)",
                    "set tls-certificate and tls-key to a valid one for \(host), or name its CA by "
                        + "--ca-file"
                )
            case .brokenHandshake(let error):
                ("TLS failed: \(error)", "base-url says https, so its port must speak TLS")
            case .refused(let status, _) where isNew && [401, 404, 421].contains(status):
                (
                    "another server answers there (status \(status))",
                    "base-url leads to another server; correct it, or the DNS or proxy before it"
                )
            case .refused(let status, _) where status == 401:
                ("the credential was refused", "make a new one with bellwire device add")
            case .refused(let status, _):
                (
                    "the upgrade to a WebSocket was answered with status \(status)",
                    "make the proxy pass Upgrade and Connection; deploy/nginx has a sample"
                )
            case .badAnswer, .unreadableAnswer:
                (
                    "the server there does not speak WebSocket",
                    "base-url leads to another server; correct it"
                )
            case .timedOut(let stage), .lost(let stage):
                (
                    "no answer at \(stage.rawValue)",
                    "check the proxy and firewall between, and their logs"
                )
            case .cancelled: ("the connection was cancelled", "try again")
            }
        return .failed(.connection, finding, advice: advice)
    }
}
