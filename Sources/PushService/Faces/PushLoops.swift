package import HTTP
package import Reactor

/// What each loop of a server has for pushes: a desk, and a handler that leads to it.
package final class PushLoops: Sendable {
    private let service: PushContext
    private let directory = SessionDirectory()

    package init(_ service: PushContext) {
        self.service = service
        service.index.endings.listen { [weak self] in self?.end($0.devices) }
    }

    /// Once for each loop, before it runs. `further`: what is served there beside pushes.
    package func handler(
        on loop: EventLoop, _ further: FurtherRoute...
    ) throws -> any HTTPHandler {
        try service.startReading()
        let desk = DeliveryDesk(on: loop, service, directory, try service.makeMint())
        return ServiceHandler(service, desk, try PushIntake(service, desk), further)
    }

    /// These devices are no more. From any thread.
    private func end(_ devices: [UInt32]) {
        guard !devices.isEmpty else { return }
        for desk in directory.all { desk.loop.post { desk.end(devices) } }
    }

    /// Once loops and store have ended: nobody waits for an answer any more.
    package func close() { directory.forgetAll() }
}
