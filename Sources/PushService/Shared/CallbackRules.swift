package import Base
package import Outbound

/// Where callbacks may go, and how they are sent.
package struct CallbackSettings: Sendable {
    package var client: LoopClient.Settings
    package var dialGuard = DialGuard()
    /// An HTTP proxy for all requests to the internet. It then decides what can be reached.
    package var proxy: String?
    /// Where local users may have sockets, besides their runtime folders.
    package var unixFolder: String?
    /// Sockets that every caller may name.
    package var allowedSockets: [String] = []
    /// Sockets on which this server listens.
    package var ownSockets: [String] = []
    /// The addresses under which this server is reached, without a slash at the end.
    package var ownURLs: [String] = []

    package init(userAgent: String) { client = LoopClient.Settings(userAgent: userAgent) }

    /// The folder in which the socket of a callback must be, and its owner; nil if the caller may
    /// not name it.
    private func place(
        ofSocket path: String, for rights: CallbackRights
    ) -> LoopRequest.SocketPlace? {
        func place(_ folder: String, _ owner: UInt32?) -> LoopRequest.SocketPlace {
            LoopRequest.SocketPlace(
                path: path, folder: folder, owner: owner, excluded: ownSockets)
        }
        // The administrator allowed this path itself.
        if allowedSockets.contains(path) { return place("/", nil) }
        guard case .localUser(let user) = rights else { return nil }
        if let unixFolder, path.hasPrefix(unixFolder + "/") { return place(unixFolder, user) }
        // file-hierarchy(7): where a user's programs keep their sockets.
        return place("/run/user/\(user)", user)
    }
}

/// Checks made before anything is dialled.
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

    /// Why a request that anyone may cause must not connect to an address.
    package func refusal(
        of address: IPAddress, port: UInt16, isEncrypted: Bool
    ) -> DialRefusal? {
        dialGuard.refusal(
            of: address, port: port, for: .anyone, isEncrypted: isEncrypted,
            isOurs: DialledAddress.isOurs)
    }

    package func request(
        to url: String, for rights: CallbackRights, fields: [(name: String, value: String)],
        body: [UInt8]?
    ) throws(Objection) -> LoopRequest {
        let target = try target(url, for: rights)
        var request = LoopRequest(
            url: target.url, isEncrypted: target.way == .encrypted, fields: fields, body: body)
        if case .unix(let path) = target.way {
            request.socket = place(ofSocket: path, for: rights)
            request.sharesConnection = false
            return request
        }
        // A connection that a local user may open must not carry anyone else's request.
        request.sharesConnection = rights == .anyone
        // A request that stays on this machine uses no proxy.
        if target.way == .encrypted, rights == .anyone { request.proxy = proxy }
        let (dialGuard, isEncrypted) = (dialGuard, request.isEncrypted)
        request.objection = { dialled in
            dialGuard.refusal(
                of: dialled.address, isMapped: dialled.isMapped, port: dialled.port, for: rights,
                isEncrypted: isEncrypted, isOurs: DialledAddress.isOurs)?.rawValue
        }
        return request
    }
}

package struct CallbackTarget: Equatable, Sendable, Confidential {
    package enum Refusal: String, Error, Sendable {
        case notAURL = "is not a URL"
        case scheme = "is neither https:// nor, for programs on this machine, http:// or unix:/"
        case userInfo = "contains a user or a password"
        case port = "has a port below 1024 that is not 443 or 80"
        case tooLong = "is too long"
    }

    package enum Way: Equatable, Sendable {
        case encrypted
        /// HTTP without TLS, to a loopback address only.
        case clear
        /// HTTP over this socket.
        case unix(path: String)
    }

    /// The URL in the form that `ParsedURL` gives it.
    package let url: String
    /// The host name, or the path of the socket. `HostLanes` limits requests by it.
    package let host: String
    package let port: UInt16
    package let way: Way

    private static let limit = 2_000
    private static let unixPrefix = "unix:"
    /// The length of `sun_path` on Linux.
    private static let pathLimit = 107

    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notAURL }
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            guard path.hasPrefix("/"), path.count > 1 else { throw .notAURL }
            guard path.utf8.count <= Self.pathLimit else { throw .tooLong }
            (url, host, port, way) = ("http://localhost/", path, 0, .unix(path: path))
            return
        }
        let parsed: ParsedURL
        do throws(ParsedURL.Failure) {
            parsed = try ParsedURL(text, schemes: ["https", "http"])
        } catch {
            switch error {
            case .notAURL: throw .notAURL
            case .otherScheme: throw .scheme
            case .hasUser: throw .userInfo
            }
        }
        guard DialGuard.isUsual(parsed.port) else { throw .port }
        way = parsed.scheme == "https" ? .encrypted : .clear
        (url, host, port) = (parsed.text, parsed.host, parsed.port)
    }

    /// Whether this is `url` or a path below it.
    func isInside(_ url: String) -> Bool {
        guard self.url.hasPrefix(url) else { return false }
        return self.url.dropFirst(url.count).first.map { "/?".contains($0) } ?? true
    }

    /// Nil if the host is a name.
    package var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }
}

/// Who asked for a callback. That decides where it may go.
package enum CallbackRights: Equatable, Sendable {
    /// A caller on the network.
    case anyone
    /// A user of this machine, as the kernel reported it on the control socket.
    case localUser(UInt32)

    package init(userID: UInt32?) { self = userID.map(Self.localUser) ?? .anyone }
}

extension DialGuard {
    /// A user of this machine can connect to addresses inside without the server.
    package func refusal(
        of address: IPAddress, isMapped: Bool = false, port: UInt16, for rights: CallbackRights,
        isEncrypted: Bool, isOurs: (IPAddress) -> Bool
    ) -> DialRefusal? {
        refusal(
            of: address, isMapped: isMapped, port: port, reachesInside: rights != .anyone,
            isEncrypted: isEncrypted, isOurs: isOurs)
    }
}
