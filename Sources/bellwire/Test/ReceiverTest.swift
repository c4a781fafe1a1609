import HTTP

/// Tests the way of a message through a receiver as one of its user agents: a push while it is
/// connected, then one while it is away. It is a value: events go in, actions come out.
struct ReceiverTest {
    enum Action: Equatable {
        case connect
        case disconnect
        /// `userAgent` is the name that the receiver gave before.
        case hello(userAgent: String?)
        case register
        case unregister
        case acknowledge(version: String)
        case push(to: String)
        case finish
    }

    enum Event {
        case opened
        /// The connection could not be opened, or was lost.
        case cut(HopResult)
        case hello(userAgent: String)
        case registered(endpoint: String)
        case refused(status: Int)
        /// `isOurs`: it decrypts to the last message sent.
        case received(version: String, isOurs: Bool)
        case unregistered
        case answered(status: Int)
        case unanswered(String)
        case timedOut
    }

    private enum Step {
        case connecting, greeting, registering
        /// A push that still lacks its answer or its delivery.
        case pushing(sent: Duration, isAnswered: Bool, isReceived: Bool)
        case storing(sent: Duration)
        case returning, fetching(since: Duration)
        case ending, verifying
        case done
    }

    /// A slower delivery means that a proxy buffers it.
    private static let prompt = Duration.seconds(1)

    /// All endpoints must begin with it.
    let baseURL: String
    private(set) var results: [HopResult] = []
    private var step = Step.connecting
    private var userAgent: String?
    private var endpoint = ""

    init(baseURL: String) { self.baseURL = baseURL }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch (step, event) {
        case (.done, _): return []
        case (_, .cut(let result)): return fail(result)
        case (_, .timedOut): return fail(late)
        case (.connecting, .opened):
            results.append(.passed(.connection, "the certificate is trusted and WebSockets work"))
            step = .greeting
            return [.hello(userAgent: nil)]
        case (.returning, .opened): return [.hello(userAgent: userAgent)]
        case (.greeting, .hello(let name)):
            userAgent = name
            results.append(.passed(.link, "the receiver knows this user agent"))
            step = .registering
            return [.register]
        case (.returning, .hello(let name)):
            guard name == userAgent else { return fail(Self.forgotten) }
            step = .fetching(since: now)
            return []
        case (.registering, .registered(let endpoint)): return register(endpoint, now)
        case (.registering, .refused(let status)): return fail(Self.notRegistered(status))
        case (.pushing, _), (.storing, _), (.fetching, _): return handleMessage(event, now)
        case (.ending, .unregistered):
            step = .verifying
            return [.push(to: endpoint)]
        case (.verifying, .answered(let status)): return verify(status)
        case (_, .unanswered(let reason)): return fail(Self.notPushed(reason))
        default: return []
        }
    }

    private mutating func register(_ endpoint: String, _ now: Duration) -> [Action] {
        guard endpoint.hasPrefix(baseURL + "/") else {
            return fail(
                .failed(
                    .endpoint, "endpoints do not begin with \(baseURL)",
                    advice: "set base-url to the address that senders use"))
        }
        self.endpoint = endpoint
        results.append(.passed(.endpoint, "bound to a key of this test"))
        step = .pushing(sent: now, isAnswered: false, isReceived: false)
        return [.push(to: endpoint)]
    }

    private mutating func handleMessage(_ event: Event, _ now: Duration) -> [Action] {
        switch (step, event) {
        case (.pushing(let sent, _, let isReceived), .answered(let status)):
            guard status == 201 else { return fail(Self.notTaken(status)) }
            results.append(.passed(.push, "accepted after \(Self.text(now - sent))"))
            step = .pushing(sent: sent, isAnswered: true, isReceived: isReceived)
            return leaveWhenDone(now)
        case (.pushing(let sent, let isAnswered, _), .received(let version, let isOurs)):
            guard isOurs else { return fail(Self.changed(.delivery)) }
            guard now - sent < Self.prompt else { return fail(Self.buffered(now - sent)) }
            results.append(.passed(.delivery, "arrived after \(Self.text(now - sent))"))
            step = .pushing(sent: sent, isAnswered: isAnswered, isReceived: true)
            return [.acknowledge(version: version)] + leaveWhenDone(now)
        case (.storing(let sent), .answered(let status)):
            guard status == 201 else { return fail(Self.notTaken(status)) }
            results.append(.passed(.store, "stored after \(Self.text(now - sent))"))
            step = .returning
            return [.connect]
        case (.fetching(let since), .received(let version, let isOurs)):
            guard isOurs else { return fail(Self.changed(.redelivery)) }
            results.append(
                .passed(.redelivery, "arrived \(Self.text(now - since)) after the reconnection"))
            step = .ending
            return [.acknowledge(version: version), .unregister]
        case (_, .unanswered(let reason)): return fail(Self.notPushed(reason))
        default: return []
        }
    }

    /// The first push is done once it was answered and received, in either order.
    private mutating func leaveWhenDone(_ now: Duration) -> [Action] {
        guard case .pushing(_, true, true) = step else { return [] }
        step = .storing(sent: now)
        return [.disconnect, .push(to: endpoint)]
    }

    private mutating func verify(_ status: Int) -> [Action] {
        guard status == 410 else {
            return fail(
                .failed(
                    .end, "a push to the ended subscription was answered \(status), not 410",
                    advice: "something in between answers instead of the receiver; read its log"))
        }
        results.append(.passed(.end, "senders are told that the endpoint is gone"))
        step = .done
        return [.finish]
    }

    private mutating func fail(_ result: HopResult) -> [Action] {
        results.append(result)
        step = .done
        return [.finish]
    }

    /// The result if nothing arrives in time.
    private var late: HopResult {
        switch step {
        case .connecting, .greeting, .registering, .returning, .ending, .done:
            .failed(
                .link, "connected, but the receiver does not answer",
                advice: "make the proxy pass WebSockets without delay; deploy/nginx has a sample")
        case .pushing(_, true, false):
            .failed(
                .delivery, "the push was accepted but does not arrive",
                advice: "switch off buffering in the proxy; deploy/nginx has a sample")
        case .fetching:
            .failed(
                .redelivery, "the stored push does not arrive after the reconnection",
                advice: "read the log of bellwire serve")
        case .pushing, .storing, .verifying: Self.notPushed("no answer in time")
        }
    }

    static func text(_ duration: Duration) -> String {
        let tenths = duration.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}

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
        _ failure: ClientFailure, host: String, isNew: Bool = false
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
            case .forbidden, .cancelled: ("the connection was cancelled", "try again")
            }
        return .failed(.connection, finding, advice: advice)
    }
}
