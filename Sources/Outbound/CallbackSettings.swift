import Base

/// What an installation decides about requests that others ask it for.
package struct CallbackSettings: Sendable {
    package var userAgent: String
    package var dialGuard = DialGuard()
    /// A file of certificates to trust instead of the system's.
    package var authorities: String?
    /// An HTTP proxy for all that goes to the internet. It then decides what can be reached.
    package var proxy: String?
    /// Where the sockets of local users may lie beside their runtime folders.
    package var unixFolder: String?
    /// Sockets that everybody may name.
    package var allowedSockets: [String] = []
    /// Sockets on which this service listens.
    package var ownSockets: [String] = []
    /// The addresses under which this service is reached, without a slash at the end.
    package var ownURLs: [String] = []
    package var patience = Duration.seconds(10)
    /// What names stand for, in libcurl's notation, where a test plays the part of the DNS.
    var fixedNames: [String] = []

    package init(userAgent: String) { self.userAgent = userAgent }

    /// Where the socket of a callback has to lie, and to whom it has to belong; nil for one that may
    /// not be named.
    func place(
        ofSocket path: String, for rights: CallbackRights
    ) -> (folder: String, owner: UInt32?)? {
        // The administrator named this very socket.
        if allowedSockets.contains(path) { return ("/", nil) }
        guard case .localUser(let user) = rights else { return nil }
        if let unixFolder, path.hasPrefix(unixFolder + "/") { return (unixFolder, user) }
        // file-hierarchy(7): the folder of what a user's programs need while they run.
        return ("/run/user/\(user)", user)
    }
}

/// Whether a callback may be made at all: what can be told before anything is dialled.
extension CallbackSettings {
    package enum Objection: Error, Equatable, Sendable, CustomStringConvertible {
        case target(CallbackTarget.Refusal)
        case address(DialRefusal)
        case unixSocket

        package var description: String {
            switch self {
            case .target(let refusal): refusal.rawValue
            case .address(let refusal): refusal.rawValue
            case .unixSocket: "the socket is not in a folder of yours"
            }
        }
    }

    package func target(
        _ url: String, for rights: CallbackRights
    ) throws(Objection) -> CallbackTarget {
        let target: CallbackTarget
        do throws(CallbackTarget.Refusal) {
            target = try CallbackTarget(url)
        } catch { throw .target(error) }
        guard !ownURLs.contains(where: target.isInside) else { throw .address(.ownListener) }
        switch target.way {
        case .unix(let path):
            guard place(ofSocket: path, for: rights) != nil else { throw .unixSocket }
        case .clear where rights == .anyone && dialGuard.allowed.isEmpty: throw .target(.scheme)
        case .clear, .encrypted:
            guard let address = target.address else { break }
            let refusal = dialGuard.refusal(
                of: address, isMapped: address.v4 != nil && target.host.hasPrefix("["),
                port: target.port, for: rights, isEncrypted: target.way == .encrypted,
                isOurs: DialledAddress.isOurs)
            if let refusal { throw .address(refusal) }
        }
        return target
    }
}
