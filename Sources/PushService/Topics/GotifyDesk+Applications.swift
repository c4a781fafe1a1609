import Base
import Crypto
import HTTP
import Mailbox
import Topics

/// Applications, which are topics.
extension GotifyDesk {
    func listApplications(_ request: GotifyRequest) {
        topics(of: request.visitor) { [self] found in
            request.use(found) { topics throws(GotifyRefusal) in
                let applications = topics.registrations.values.map { application($0) }
                request.answer(
                    applications.sorted { ($0.sortKey, $0.id) < ($1.sortKey, $1.id) }.json)
            }
        }
    }

    func application(_ registration: Registration) -> GotifyApplication {
        let terms = registration.terms.topic.application
        var application = GotifyApplication()
        application.id = Int64(registration.device)
        application.name = registration.title
        application.description = terms.description
        application.defaultPriority = terms.priority
        application.sortKey = terms.sortKey
        application.picture = terms.picture
        application.created = registration.created / 1_000
        application.used = service.lastPushes[registration.device].map { $0 / 1_000 }
        return application
    }

    func makeApplication(_ request: GotifyRequest) throws(GotifyRefusal) {
        let fields = try GotifyApplicationFields(try request.fields())
        let terms = try ApplicationTerms(fields)
        make(fields, terms, attempt: 0, request)
    }

    /// Tries one name of a topic after the other. An owner may have so many topics.
    private func make(
        _ fields: GotifyApplicationFields, _ application: ApplicationTerms, attempt: Int,
        _ request: GotifyRequest
    ) {
        let free: (number: Int, name: TopicName)
        do throws(GotifyRefusal) {
            free = try name(fields, attempt: attempt, for: request.visitor)
        } catch { return request.refuse(error) }
        var terms = TopicTerms()
        terms.application = application
        maker.create(free.name, terms, request.visitor) { [self] created in
            switch created {
            case .success(let registration?): addToken(to: registration, free.name, request)
            // Another request was faster.
            case .success(nil): make(fields, application, attempt: free.number + 1, request)
            case .failure(let refusal): request.refuse(GotifyRefusal(ntfy: refusal))
            }
        }
    }

    /// A name that no topic has.
    private func name(
        _ fields: GotifyApplicationFields, attempt first: Int, for visitor: TopicVisitor
    ) throws(GotifyRefusal) -> (number: Int, name: TopicName) {
        for number in first..<max(first, OwnerLimits.topics + 1) {
            guard let name = fields.topicName(attempt: number) else { continue }
            do throws(AccessRefusal) {
                if try door.place(of: name, for: .publish, visitor) == .new {
                    return (number, name)
                }
            } catch { throw GotifyRefusal(error) }
        }
        throw .tooMany
    }

    /// An application without a token would be of no use.
    private func addToken(
        to registration: Registration, _ name: TopicName, _ request: GotifyRequest
    ) {
        guard let pattern = TopicPattern(name.text) else { return request.refuse(.unavailable) }
        let end = request.visitor.credential?.token?.terms.end
        let grant = TokenGrant(
            TokenTerms(.application, pattern, .write, end: end), parent: request.visitor.token,
            device: registration.device)
        add(grant, named: "application \(registration.device)", request.visitor) { [self] added in
            switch added {
            case .success(let added):
                var made = application(registration)
                made.token = added.token
                request.answer(made.json)
            case .failure(let refusal):
                desk.submit(
                    .registration(.end(device: registration.device)),
                    .other { _ in request.refuse(refusal) })
            }
        }
    }

    func changeApplication(_ request: GotifyRequest) throws(GotifyRefusal) {
        let terms = try ApplicationTerms(try GotifyApplicationFields(try request.fields()))
        topic(request.id, of: request.visitor) { [self] found in
            request.use(found) { entry throws(GotifyRefusal) in
                change(entry.registration, request) { application in
                    let picture = application.picture
                    application = terms
                    application.picture = picture
                }
            }
        }
    }

    /// Answers with the changed application.
    func change(
        _ registration: Registration, _ request: GotifyRequest,
        _ body: (inout ApplicationTerms) -> Void
    ) {
        var changed = registration
        var topic = changed.terms.topic
        body(&topic.application)
        changed.set(topic: topic)
        submit(
            .registration(.change(changed, from: registration.revision, adding: nil)),
            for: request, unknown: .unknownApplication
        ) { [self] in request.answer(application(changed).json) }
    }

    /// With all that came to the topic. One with a callback has a program of its own, which makes and
    /// ends it elsewhere.
    func deleteApplication(_ request: GotifyRequest) {
        topic(request.id, of: request.visitor) { [self] found in
            request.use(found) { entry throws(GotifyRefusal) in
                guard entry.registration.terms.callback == nil else { throw .notHere }
                submit(
                    .registration(.end(device: entry.registration.device)), for: request,
                    unknown: .unknownApplication, then: request.answerDone)
            }
        }
    }
}

extension ApplicationTerms {
    private static let limit = 1_024

    fileprivate init(_ fields: GotifyApplicationFields) throws(GotifyRefusal) {
        let texts = [fields.name, fields.description, fields.sortKey]
        guard texts.allSatisfy({ $0.utf8.count <= Self.limit }) else { throw .tooLarge }
        self.init()
        (name, description, sortKey) = (fields.name, fields.description, fields.sortKey)
        priority = fields.defaultPriority
    }
}
