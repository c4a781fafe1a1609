import Configuration
import Mailbox
import Outbound
import PushService
import Reactor
import System

extension PushServer {
    /// Lets callbacks go where the configuration allows, but never to this server.
    static func decideCallbacks(
        _ configuration: ServerConfiguration, _ listeners: [SocketAddress], _ baseURL: BaseURL,
        _ settings: inout CallbackSettings
    ) throws {
        if let file = configuration.callbackAuthorities { _ = try TextFile.read(file) }
        for allowance in configuration.callbackAllowances {
            switch allowance {
            case .addresses(let block): settings.dialGuard.allowed.append(block)
            case .socket(let path): settings.allowedSockets.append(path)
            }
        }
        let origins = [baseURL.origin] + configuration.aliases
        settings.ownURLs = origins.map { $0.description + baseURL.path }
        settings.proxy = configuration.callbackProxy
        settings.unixFolder = configuration.callbackUnixDirectory
        settings.client.authorities = configuration.callbackAuthorities
        for listener in listeners {
            switch listener {
            case .ip(let address, let port):
                settings.dialGuard.listeners.append((address, port))
            case .unix(let path): settings.ownSockets.append(path)
            }
        }
    }

    static func callbackSurroundings(
        _ store: SQLiteStore, _ node: ClusterNode?, _ log: Log
    ) -> CallbackService.Surroundings {
        var surroundings = CallbackService.Surroundings(clock: store.clock)
        surroundings.wall = node?.time ?? surroundings.wall
        surroundings.report = { trouble in
            log.write(
                .warning, "callback",
                [("registration", "\(trouble.callback)"), ("reason", trouble.reason)])
        }
        return surroundings
    }
}
