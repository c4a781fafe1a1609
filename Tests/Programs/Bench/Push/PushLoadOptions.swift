/// The load to generate, and on which server.
struct PushLoadOptions {
    enum Service: String { case bellwire, nginx, nchan, mosquitto }

    enum Mode: String {
        /// Publish to clients that are connected.
        case load
        /// Make the clients that others of these modes name, and leave.
        case register
        /// Publish to clients that are away.
        case absent
        /// Publish to registrations, whose keys the service holds.
        case registrations
        /// Only keep clients connected.
        case idle
        /// Let clients that were registered before come back at once, while others publish.
        case storm

        /// Nothing is received while publishing is measured.
        var isAnsweredOnly: Bool { self == .absent || self == .registrations }
    }

    var service = Service.bellwire
    var mode = Mode.load
    var port = 0
    /// The process id of the measured server.
    var process = 0
    var certificate = ""
    var subscribers = 100
    var publishers = 64
    var size = 200
    /// Messages in a second; 0 for as many as possible.
    var rate = 0.0
    var warm = 1.0
    var seconds = 4.0
    /// The life of a message in seconds.
    var ttl = 60
    /// A file with credentials of devices, one for each `PushLoad.share` clients.
    var bearers = ""
    /// The file that `register` writes: a user agent and its path on each line.
    var agents = ""
    /// Clients register no channel.
    var isHelloOnly = false
    /// The registrations to publish to, and how many pushes to prepare for them.
    var targets = ""
    var count = 100_000
    /// Publish as a homeserver, through the gateway.
    var isGateway = false
    /// How the names of topics begin to which is published. Each subscriber reads one of its own.
    var topics = ""

    init(_ words: [String: String]) throws(Options.Failure) {
        for (name, value) in words {
            switch name {
            case "service": service = try Self.read(Service.init, name, value)
            case "mode": mode = try Self.read(Mode.init, name, value)
            case "pid": process = try Self.read({ Int($0) }, name, value)
            case "subscribers": subscribers = try Self.read({ Int($0) }, name, value)
            case "publishers": publishers = try Self.read({ Int($0) }, name, value)
            case "size": size = try Self.read({ Int($0) }, name, value)
            case "rate": rate = try Self.read(Double.init, name, value)
            case "warm": warm = try Self.read(Double.init, name, value)
            case "ttl": ttl = try Self.read({ Int($0) }, name, value)
            case "bearers": bearers = value
            case "agents": agents = value
            case "targets": targets = value
            case "count": count = try Self.read({ Int($0) }, name, value)
            case "hello-only": isHelloOnly = value == "yes"
            case "gateway": isGateway = value == "yes"
            case "topics": topics = value
            default: throw Options.Failure(message: "unknown option \(name)")
            }
        }
        guard subscribers >= 0, publishers > 0 else {
            throw Options.Failure(message: "numbers must be positive")
        }
    }

    var isOfTopics: Bool { !topics.isEmpty }

    private static func read<Value>(
        _ parse: (String) -> Value?, _ name: String, _ text: String
    ) throws(Options.Failure) -> Value {
        guard let value = parse(text) else {
            throw Options.Failure(message: "\(name) cannot be \(text)")
        }
        return value
    }
}
