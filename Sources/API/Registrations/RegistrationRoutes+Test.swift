import Base
import Mailbox
import PushService

extension RegistrationRoutes {
    /// Sends a notification by which the owner sees that pushes arrive.
    func test(
        _ id: RegistrationID?, _ caller: APICaller, _ language: Language, _ reply: @escaping Reply
    ) {
        find(id, caller, reply) { [self] registration, _ in
            var push = TestPush(service)
            let operation = push.operation(
                title: Sentence.testTitle.text(language), text: Sentence.testText.text(language),
                to: registration)
            guard let operation else { return reply(.failure(.unavailable)) }
            dialogue.submit(operation) { [service] outcome in
                switch outcome {
                case .stored, .acknowledged, .done, .registration:
                    service.recordTest(of: registration.device)
                    reply(.success((204, [])))
                case .notFound: reply(.failure(.unknown))
                default: reply(.failure(.unavailable))
                }
            }
        }
    }
}
