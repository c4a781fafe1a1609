package import HTTP
import WebPush

enum ServiceRoute: Sendable {
    case push
    case simplePush
    case unknownVersion
    case discovery
    case withdrawal
    case gateway
    case gatewayDiscovery
    case userAgent
    case userAgentOfDevice
    /// Whether the store can be used.
    case health
    case liveness
    case status
    case version
    /// The page that errors lead to.
    case errors
    case preflight
    /// The index in the list of further routes.
    case further(Int)

    /// Its name in logs.
    var label: StaticString {
        switch self {
        case .push: "push"
        case .simplePush: "simple-push"
        case .unknownVersion: "unknown-version"
        case .discovery: "discovery"
        case .withdrawal: "withdrawal"
        case .gateway, .gatewayDiscovery: "gateway"
        case .userAgent, .userAgentOfDevice: "user-agent"
        case .health: "health"
        case .liveness: "liveness"
        case .status: "status"
        case .version: "version"
        case .errors: "errors"
        case .preflight: "preflight"
        case .further: ""
        }
    }

    /// Whether its answer says nothing of what the store contains.
    var needsNoStore: Bool {
        switch self {
        case .unknownVersion, .discovery, .gatewayDiscovery, .health, .liveness, .status, .version,
            .errors, .preflight:
            true
        case .push, .simplePush, .withdrawal, .gateway, .userAgent, .userAgentOfDevice, .further:
            false
        }
    }

    static let gatewayPath: StaticString = "/_matrix/push/v1/notify"

    static func isMatrix(_ path: Span<UInt8>) -> Bool {
        path.count >= 9 && path.extracting(0..<9).elementsEqual("/_matrix/")
    }

    static func router(with further: [FurtherRoute]) -> HTTPRouter<ServiceRoute> {
        var router = HTTPRouter<ServiceRoute>()
        let endpoint: [(HTTPMethod, ServiceRoute)] = [
            (.post, .push), (.put, .simplePush), (.get, .discovery), (.head, .discovery),
            (.options, .preflight),
        ]
        router.add("/wpush/v1/*", endpoint)
        router.add("/wpush/v2/*", endpoint)
        router.add("/wpush/*", endpoint)
        router.add(
            "/wpush/**",
            [
                (.get, .discovery), (.head, .discovery), (.options, .preflight),
                (.post, .unknownVersion), (.put, .unknownVersion),
            ])
        router.add("/m/*", [(.delete, .withdrawal), (.options, .preflight)])
        router.add(
            "\(gatewayPath)",
            [(.get, .gatewayDiscovery), (.head, .gatewayDiscovery), (.post, .gateway)])
        router.add("/", [(.get, .userAgent)])
        router.add("/u/*", [(.get, .userAgentOfDevice)])
        for (path, route) in [
            ("/health", ServiceRoute.health), ("/__heartbeat__", .health),
            ("/__lbheartbeat__", .liveness), ("/status", .status), ("/__version__", .version),
            (ErrorPage.path, .errors),
        ] {
            router.add(path, [(.get, route), (.head, route)])
        }
        for (number, route) in further.enumerated() {
            router.add(route.pattern, route.methods.map { ($0, .further(number)) })
        }
        return router
    }
}

/// A route that is not for pushes, such as one of the API. The handler gets them when it is made.
package struct FurtherRoute {
    /// A pattern as in `HTTPRouter`.
    let pattern: String
    let methods: [HTTPMethod]
    let label: StaticString
    let serve: (HTTPExchange, _ path: Range<Int>) -> Void

    /// `path` is the path of the request without that of base-url.
    package init(
        _ pattern: String, _ methods: [HTTPMethod], label: StaticString,
        serve: @escaping (HTTPExchange, _ path: Range<Int>) -> Void
    ) {
        self.pattern = pattern
        self.methods = methods
        self.label = label
        self.serve = serve
    }
}
