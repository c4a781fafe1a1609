package import HTTP
package import Mailbox
package import PushService
package import Reactor
import System

/// What each loop of a server has for the API: the clients of engines there, and the routes.
package final class APILoops: Sendable {
    private let service: PushContext
    private let desks = Lock<[EngineDesk]>([])

    package init(_ service: PushContext) { self.service = service }

    /// Of the public face. Once for each loop, before it runs.
    package func route(on loop: EventLoop) -> FurtherRoute {
        let face = APIFace(service, routes(on: loop, desk(on: loop)))
        return FurtherRoute("/api/v1/**", [.get, .post, .put, .delete], label: "api") {
            face.serve($0, $1)
        }
    }

    /// Of the control socket, on the one loop that serves it.
    package func control(on loop: EventLoop, _ settings: ControlSettings) -> any HTTPHandler {
        let engines = desk(on: loop)
        return ControlHandler(
            service, StoreDialogue(on: loop, service.store), engines, routes(on: loop, engines),
            settings)
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

    /// What to call `registerDevice` with, as callbacks are told.
    package var describe: @Sendable (Registration) -> String {
        { [settings = service.settings] registration in
            RegistrationReport(settings: settings).parameters(of: registration)
        }
    }

    /// Once loops and store have ended: nobody waits for an answer any more.
    package func close() {
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
    }
}
