import Base
import Crypto
import HTTP
import Mailbox
import System
import Topics

/// Clients, which are tokens that read.
extension GotifyDesk {
    func listClients(_ request: GotifyRequest) {
        clients(of: request.visitor) { [service] found in
            request.use(found) { clients throws(GotifyRefusal) in
                request.answer(clients.seen.map { GotifyClient($0, service.presence) }.json)
            }
        }
    }

    func makeClient(_ request: GotifyRequest) throws(GotifyRefusal) {
        let name = try request.fields().clientName
        let visitor = request.visitor
        guard let grant = TokenGrant(ofClient: visitor) else {
            throw GotifyRefusal(.forbidden)
        }
        clients(of: visitor) { [self] found in
            request.use(found) { clients throws(GotifyRefusal) in
                add(grant, named: clients.free(name), visitor) { [service] added in
                    request.use(added) { made throws(GotifyRefusal) in
                        var client = GotifyClient(made.credential, service.presence)
                        client.token = made.token
                        request.answer(client.json)
                    }
                }
            }
        }
    }

    func changeClient(_ request: GotifyRequest) throws(GotifyRefusal) {
        let name = try request.fields().clientName
        find(request) { [self] client, clients in
            let free = client.name == name ? name : clients.free(name)
            let renaming = StoreOperation.changeToken(client.row, name: free, nil)
            submit(renaming, for: request, unknown: .unknownClient) { [service] in
                var changed = GotifyClient(client, service.presence)
                changed.name = free
                request.answer(changed.json)
            }
        }
    }

    /// Its streams end with it.
    func deleteClient(_ request: GotifyRequest) {
        find(request) { [self] client, _ in
            submit(
                .removeCredential(client.row), for: request, unknown: .unknownClient,
                then: request.answerDone)
        }
    }

    private func find(
        _ request: GotifyRequest, then: @escaping (DeviceCredential, GotifyClients) -> Void
    ) {
        clients(of: request.visitor) { found in
            request.use(found) { clients throws(GotifyRefusal) in
                guard let client = clients.seen.first(where: { Int64($0.row) == request.id })
                else { throw .unknownClient }
                then(client, clients)
            }
        }
    }

    private func clients(
        of visitor: TopicVisitor, then: @escaping (Result<GotifyClients, GotifyRefusal>) -> Void
    ) {
        desk.list(.tokens) { [desk] answer in
            guard case .credentials(let tokens) = answer else {
                return then(.failure(.unavailable))
            }
            // A token may not have the name of a device either.
            desk.list(.credentials) { answer in
                guard case .credentials(let devices) = answer else {
                    return then(.failure(.unavailable))
                }
                then(.success(GotifyClients(tokens, devices, visitor)))
            }
        }
    }
}

/// The clients that a visitor sees.
private struct GotifyClients {
    let seen: [DeviceCredential]
    /// Of all credentials of the owner.
    private let names: Set<String>

    /// A device of the owner sees all, and a token itself and those that it made.
    init(
        _ tokens: [DeviceCredential], _ devices: [DeviceCredential], _ visitor: TopicVisitor
    ) {
        let own = tokens.filter { $0.owner == visitor.owner }
        names = Set((own + devices.filter { $0.owner == visitor.owner }).map(\.name))
        let maker = visitor.token
        seen = own.filter { credential in
            guard let token = credential.token, token.terms.form == .client else { return false }
            return maker.map { $0 == credential.row || $0 == token.parent } ?? true
        }
    }

    /// The name, or one like it that no other credential of the owner has.
    func free(_ name: String) -> String {
        guard names.contains(name) else { return name }
        let more = (2...names.count + 2).lazy.map { "\(name) (\($0))" }
        return more.first { !names.contains($0) } ?? name
    }
}

/// Tokens.
extension GotifyDesk {
    func add(
        _ grant: TokenGrant, named name: String, _ visitor: TopicVisitor,
        then: @escaping (Result<MadeToken, GotifyRefusal>) -> Void
    ) {
        let made: MadeToken
        do throws(OpenSSLError) {
            made = try MadeToken(
                grant, named: name, of: visitor.owner ?? "", at: service, &desk.random)
        } catch { return then(.failure(.unavailable)) }
        desk.submit(
            .addCredential(made.credential),
            .other { outcome in
                then(
                    outcome == .done
                        ? .success(made)
                        : .failure(GotifyRefusal(outcome, unknown: .unavailable)))
            })
    }
}

extension TopicVisitor {
    /// The row of the credential, if that is a token.
    var token: UInt32? { credential.flatMap { $0.token == nil ? nil : $0.row } }
}

extension TokenGrant {
    /// Of a client that the visitor makes: it reads, and deletes what it has read. Nil if the visitor
    /// may not make it.
    fileprivate init?(ofClient visitor: TopicVisitor) {
        let rights: TopicRights = [.read, .end]
        guard let credential = visitor.credential else { return nil }
        guard let token = credential.token else {
            guard let all = TopicPattern("*") else { return nil }
            self.init(TokenTerms(.client, all, rights))
            return
        }
        guard let terms = token.terms.child(.client, rights, end: nil) else { return nil }
        self.init(terms, parent: credential.row, device: token.device)
    }
}

extension GotifyClient {
    fileprivate init(_ credential: DeviceCredential, _ presence: DevicePresence) {
        self.init()
        id = Int64(credential.row)
        name = credential.name
        created = credential.created / 1_000
        used = presence.lastSeen(credential).map { $0 / 1_000 }
        end = credential.token?.terms.end
    }
}

extension GotifyFields {
    /// People see it in lists.
    fileprivate var clientName: String {
        get throws(GotifyRefusal) {
            let shown = Printable.onScreen(try name, limit: 64)
            return shown.isEmpty ? "client" : shown
        }
    }
}
