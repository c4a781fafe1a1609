import Base
import Delivery
import HTTP
import Mailbox
import Notifications
import Topics

/// What a sender of Gotify may say. There is no limit in Gotify, but readers of streams get a
/// message as one piece.
enum GotifyPublication {
    static let longestText = 1_000_000
    static let longestExtras = 64 << 10
}

/// Messages.
extension GotifyDesk {
    func publish(_ request: GotifyRequest) throws(GotifyRefusal) {
        let fields = try request.fields()
        let id: Int64
        if let own = request.visitor.credential?.token?.device {
            id = Int64(own)
        } else {
            id = try fields.application
        }
        topic(id, of: request.visitor) { [self] found in
            request.use(found) { entry throws(GotifyRefusal) in
                try publish(fields, to: entry, request)
            }
        }
    }

    private func publish(
        _ fields: GotifyFields, to entry: RegistrationCache.Entry, _ request: GotifyRequest
    ) throws(GotifyRefusal) {
        let registration = entry.registration
        var content = try content(fields, registration.terms.topic.application)
        content.isByOwner = request.visitor.isKnown(
            to: registration.owner, for: registration.terms.topicName)
        let lifetime = service.historyLifetime(of: registration)
        let message: TopicMessage
        let operation: RegistrationOperation
        do throws(NtfyRefusal) {
            message = TopicMessage(
                id: try intake.messageID(), time: intake.now, keptFor: lifetime, content)
            operation = try intake.operation(
                showing: TopicPost(message, keptFor: lifetime), to: entry)
        } catch { throw GotifyRefusal(ntfy: error) }
        intake.submit(operation, to: entry) { [service] outcome in
            guard case .stored(let position) = outcome,
                let published = GotifyMessage(
                    message, id: position, application: Int64(registration.device),
                    named: registration.title)
            else { return request.refuse(GotifyRefusal(ntfy: NtfyRefusal(outcome))) }
            service.metrics.noteAnswered(after: request.exchange.age)
            request.answer(published.json)
        }
    }

    private func content(
        _ fields: GotifyFields, _ application: ApplicationTerms
    ) throws(GotifyRefusal) -> TopicContent {
        var content = try TopicContent(fields, defaultPriority: application.priority)
        guard content.text.utf8.count <= GotifyPublication.longestText,
            content.extras.utf8.count <= GotifyPublication.longestExtras
        else { throw .tooLarge }
        content.title = SenderFields.cut(Array(content.title.utf8), Publication.titleLimit)
        return content
    }

    /// Newest first.
    func listMessages(
        _ request: GotifyRequest, of application: Int64? = nil
    ) throws(GotifyRefusal) {
        let page = try GotifyPage(query: request.query.span)
        let path =
            service.settings.baseURL.path
            + (application.map { "/application/\($0)/message" } ?? "/message")
        topics(of: request.visitor) { [self] found in
            request.use(found) { topics throws(GotifyRefusal) in
                let wanted = TopicPageRequest(
                    owner: topics.owner, devices: try topics.devices(of: application),
                    before: page.since > 0 ? page.since : nil, limit: Int(page.limit),
                    kind: .message)
                desk.list(.topic(.page(wanted))) { answer in
                    guard case .topic(.page(let found)) = answer else {
                        return request.refuse(.unavailable)
                    }
                    let messages = GotifyMessages(
                        page, of: path, found.entries.compactMap(topics.message),
                        hasMore: found.hasMore)
                    request.answer(messages.json)
                }
            }
        }
    }
}

/// Their end, of which other readers are not told.
extension GotifyDesk {
    func deleteMessage(_ request: GotifyRequest) {
        topics(of: request.visitor) { [self] found in
            request.use(found) { topics throws(GotifyRefusal) in
                let erasure = TopicErasure.message(
                    position: request.id, of: try topics.devices(of: nil))
                submit(
                    .registration(.erase(erasure)), for: request, unknown: .unknownMessage,
                    conflict: GotifyRefusal(ntfy: .openQuestion), then: request.answerDone)
            }
        }
    }

    func deleteMessages(_ request: GotifyRequest, of application: Int64? = nil) {
        topics(of: request.visitor) { [self] found in
            request.use(found) { topics throws(GotifyRefusal) in
                let devices = try topics.devices(of: application)
                // What comes from now on stays.
                desk.list(.topic(.newest(owner: topics.owner))) { [self] answer in
                    guard case .topic(.newest(let newest)) = answer else {
                        return request.refuse(.unavailable)
                    }
                    erase(devices, through: newest, request)
                }
            }
        }
    }

    /// One topic after the other.
    private func erase(
        _ devices: [UInt32], through newest: Int64, _ request: GotifyRequest
    ) {
        guard let device = devices.last else { return request.answerDone() }
        desk.submit(
            .registration(.erase(.all(of: device, through: newest))),
            .other { [self] outcome in
                switch outcome {
                case .registration(.partly): erase(devices, through: newest, request)
                case .done, .notFound: erase(devices.dropLast(), through: newest, request)
                default: request.refuse(.unavailable)
                }
            })
    }
}
