package import HTTP
package import Mailbox
package import PushService
package import Reactor
import System

/// The API's part of each loop: the connected clients of engines, and the routes.
package final class APILoops: Sendable {
    /// The page answers all of them itself, so that each answer has its header fields.
    private static let anyMethod: [HTTPMethod] = [
        .get, .head, .post, .put, .delete, .options, .patch,
    ]

    private let service: PushContext
    private let desks = Lock<[EngineDesk]>([])
    private let door = PageDoor()

    package init(_ service: PushContext) { self.service = service }

    /// Makes the routes for public listeners. Call it once for each loop, before the loop runs.
    package func routes(on loop: EventLoop) -> [FurtherRoute] {
        let engines = desk(on: loop)
        let dialogue = StoreDialogue(on: loop, service.store)
        let registrations = RegistrationRoutes(service, dialogue)
        let api = APIFace(service, APIRoutes(registrations, EngineAdmission(engines)))
        let page = PageFace(
            service, door,
            PageRooms(
                devices: DeviceRoutes(service, dialogue), registrations: registrations,
                overview: OverviewDesk(service, dialogue), engines: engines))
        return [
            FurtherRoute("/api/v1/**", [.get, .post, .put, .delete], label: "api") {
                api.serve($0, $1)
            },
            FurtherRoute("/ui", [.get], label: "ui") { page.serve($0, $1) },
            FurtherRoute("/ui/**", Self.anyMethod, label: "ui") { page.serve($0, $1) },
        ]
    }

    /// Makes the handler of the control socket. Call it for the loop that serves the socket.
    package func control(on loop: EventLoop, _ settings: ControlSettings) -> any HTTPHandler {
        let engines = desk(on: loop)
        let dialogue = StoreDialogue(on: loop, service.store)
        let api = APIRoutes(RegistrationRoutes(service, dialogue), EngineAdmission(engines))
        return ControlHandler(
            service, dialogue, engines, api, ExportRoutes(on: loop, dialogue), door, settings)
    }

    private func desk(on loop: EventLoop) -> EngineDesk {
        let desk = EngineDesk(on: loop, service)
        desks.withLock { $0.append(desk) }
        return desk
    }

    /// The parameters of `registerDevice`, as callbacks carry them.
    package var describe: @Sendable (Registration) -> String {
        { [settings = service.settings, engines = service.index.engines] registration in
            RegistrationReport(settings: settings, engines: engines)
                .parameters(of: registration)
        }
    }

    /// Call it when loops and store have ended.
    package func close() {
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
    }
}
