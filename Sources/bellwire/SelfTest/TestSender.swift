import Outbound
import PushService
import Reactor

/// Sends the pushes of a test and recognizes them when they arrive.
final class TestSender {
    private let client: LoopClient
    private let settings: CallbackSettings
    private var message: TestMessage

    private init(
        _ client: LoopClient, _ settings: CallbackSettings, _ message: consuming TestMessage
    ) {
        self.client = client
        self.settings = settings
        self.message = message
    }

    static func make(on loop: EventLoop, authorities: String?) throws -> TestSender {
        var settings = CallbackSettings(userAgent: "bellwire/\(ProgramVersion.text)")
        settings.client.authorities = authorities
        return TestSender(
            try LoopClient(on: loop, settings.client), settings, try TestMessage())
    }

    /// The key that endpoints are bound to.
    var applicationKey: String { message.applicationKey }

    func isLast(_ body: [UInt8]) -> Bool { message.isLast(body) }

    /// `completion` gets the status of the answer.
    func push(to endpoint: String, completion: @escaping (Result<Int, CommandError>) -> Void) {
        do {
            client.send(try message.request(to: endpoint, settings)) { result in
                completion(
                    result.map(\.status).mapError { CommandError(message: $0.description) })
            }
        } catch {
            completion(.failure(CommandError(error)))
        }
    }

    func close() { client.close() }
}
