package import HTTP
package import Mailbox
package import PushService
package import Reactor
import System

/// The API's part of each loop: the connected clients of engines, and the routes.
package final class APILoops: Sendable {
    private let service: PushContext
    private let desks = Lock<[EngineDesk]>([])

    package init(_ service: PushContext) { self.service = service }

    /// Makes the route for public listeners. Call it once for each loop, before the loop runs.
    package func route(on loop: EventLoop) -> FurtherRoute {
        let face = APIFace(service, routes(on: loop, desk(on: loop)))
        return FurtherRoute("/api/v1/**", [.get, .post, .put, .delete], label: "api") {
            face.serve($0, $1)
        }
    }

    /// Makes the handler of the control socket. Call it for the loop that serves the socket.
    package func control(on loop: EventLoop, _ settings: ControlSettings) -> any HTTPHandler {
        let engines = desk(on: loop)
        let dialogue = StoreDialogue(on: loop, service.store)
        return ControlHandler(
            service, dialogue, engines, routes(on: loop, engines),
            ExportRoutes(on: loop, dialogue), settings)
    }

    private func desk(on loop: EventLoop) -> EngineDesk {
        let desk = EngineDesk(on: loop, service)
        desks.withLock { $0.append(desk) }
        return desk
    }

    private func routes(on loop: EventLoop, _ engines: EngineDesk) -> APIRoutes {
        APIRoutes(
            RegistrationRoutes(service, StoreDialogue(on: loop, service.store)),
            EngineAdmission(engines))
    }

    /// The parameters of `registerDevice`, as callbacks carry them.
    package var describe: @Sendable (Registration) -> String {
        { [settings = service.settings] registration in
            RegistrationReport(settings: settings).parameters(of: registration)
        }
    }

    /// Call it when loops and store have ended.
    package func close() {
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
    }
}
