package import HTTP
package import Reactor

/// Gives each loop of a server its delivery desk and its HTTP handler.
package final class PushLoops: Sendable {
    private let service: PushContext
    private let directory = SessionDirectory()

    package init(_ service: PushContext) {
        self.service = service
        service.index.endings.listen { [weak self] in self?.end($0.devices) }
    }

    /// Call this once for each loop, before it runs. `further`: other routes to serve there.
    package func handler(
        on loop: EventLoop, _ further: [FurtherRoute]
    ) throws -> any HTTPHandler {
        try service.startReading()
        let desk = DeliveryDesk(on: loop, service, directory, try service.makeMint())
        return ServiceHandler(service, desk, try PushIntake(service, desk), further)
    }

    /// Ends the connections of deleted devices. Any thread may call it.
    private func end(_ devices: [UInt32]) {
        guard !devices.isEmpty else { return }
        for desk in directory.all { desk.loop.post { desk.end(devices) } }
    }

    /// Call this after the loops and the store have ended, when nobody waits for an answer.
    package func close() { directory.forgetAll() }
}
