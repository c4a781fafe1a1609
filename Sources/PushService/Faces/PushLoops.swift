package import HTTP
import Mailbox
package import Reactor

/// Gives each loop of a server its delivery desk and its HTTP handler.
package final class PushLoops: Sendable {
    private let service: PushContext
    private let directory = SessionDirectory()

    package init(_ service: PushContext) {
        self.service = service
        service.index.endings.listen { [weak self] in self?.end($0.devices) }
        service.index.elsewhere.listen { [weak self] in
            self?.tell($0)
        } isHere: { [directory] in
            directory.desk(of: $0) != nil
        }
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

    /// Tells the devices that are connected here what other stores did. Any thread may call it.
    private func tell(_ news: Elsewhere) {
        if news.isUnknown {
            for desk in directory.all { desk.loop.post { desk.endAll() } }
        }
        for device in news.connected { post(device) { $0.end([device]) } }
        for message in news.ended { post(message.address.device) { $0.withdrawn(message) } }
        for message in news.passed { post(message.address.device) { $0.received(message) } }
        for (device, position) in news.stored {
            post(device) { $0.stored(elsewhere: position, device) }
        }
    }

    private func post(_ device: UInt32, _ body: @escaping @Sendable (DeliveryDesk) -> Void) {
        guard let desk = directory.desk(of: device) else { return }
        desk.loop.post { body(desk) }
    }

    /// Call this after the loops and the store have ended, when nobody waits for an answer.
    package func close() { directory.forgetAll() }
}
