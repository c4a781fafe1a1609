import Base

/// What a request asks of Gotify, by its method and path.
package struct GotifyRoute: Equatable, Sendable {
    package enum Action: CaseIterable, Sendable {
        case publish, listMessages, deleteMessages, deleteMessage
        case listMessagesOfApplication, deleteMessagesOfApplication
        case listApplications, makeApplication, changeApplication, deleteApplication
        case setPicture, removePicture
        case listClients, makeClient, changeClient, deleteClient
        case stream, user
        /// Of people, and of their passwords: see `GotifyRefusal.notHere`.
        case manageUsers
        case version, info, health
        /// `OPTIONS`, which a browser sends before it lets a page send the rest.
        case preflight
        /// The picture of an application, and the one that the others have.
        case picture, usualPicture
    }

    package let action: Action
    /// Of a message, an application or a client; 0 if the path has none.
    package private(set) var id: Int64 = 0
    /// Of a picture.
    package private(set) var name = ""

    private init(_ action: Action) { self.action = action }

    /// `#` stands for an id, and `*` for a name.
    private static let known: [(method: String, path: [Substring], action: Action)] = {
        let all: [(String, Substring, Action)] = [
            ("POST", "message", .publish), ("GET", "message", .listMessages),
            ("DELETE", "message", .deleteMessages), ("DELETE", "message/#", .deleteMessage),
            ("GET", "application/#/message", .listMessagesOfApplication),
            ("DELETE", "application/#/message", .deleteMessagesOfApplication),
            ("GET", "application", .listApplications), ("POST", "application", .makeApplication),
            ("PUT", "application/#", .changeApplication),
            ("DELETE", "application/#", .deleteApplication),
            ("POST", "application/#/image", .setPicture),
            ("DELETE", "application/#/image", .removePicture),
            ("GET", "client", .listClients), ("POST", "client", .makeClient),
            ("PUT", "client/#", .changeClient), ("DELETE", "client/#", .deleteClient),
            ("GET", "stream", .stream), ("GET", "current/user", .user),
            ("POST", "current/user/password", .manageUsers),
            ("GET", "user", .manageUsers), ("POST", "user", .manageUsers),
            ("GET", "user/#", .manageUsers), ("POST", "user/#", .manageUsers),
            ("DELETE", "user/#", .manageUsers),
            ("GET", "version", .version), ("GET", "gotifyinfo", .info),
            ("GET", "health", .health), ("HEAD", "health", .health),
            ("GET", "image/*", .picture), ("GET", "static/defaultapp.png", .usualPicture),
        ]
        return all.map { ($0.0, $0.1.split(separator: "/"), $0.2) }
    }()

    private static let firstWords = Set(known.map(\.path[0])).union(["plugin"])
    private static let longestPath = 512

    /// Nil for a path that is not Gotify's. Slashes may be doubled, because many programs add
    /// `/message` to an address that ends in one.
    package static func find(
        _ method: String, _ path: Span<UInt8>
    ) throws(GotifyRefusal) -> GotifyRoute? {
        guard path.count <= longestPath else { return nil }
        let text = String(decoding: path.array(path.indices), as: UTF8.self)
        var words = text.split(separator: "/")[...]
        let isPrefixed = words.first == "gotify"
        if isPrefixed { words = words.dropFirst() }
        guard isPrefixed || words.first.map(firstWords.contains) == true else { return nil }
        guard method != "OPTIONS" else { return GotifyRoute(.preflight) }
        for row in known where row.method == method && row.path.count == words.count {
            if let route = try GotifyRoute(row.action).filled(row.path, words) { return route }
        }
        throw .unknownPath
    }

    /// Nil if the path is another one.
    private consuming func filled(
        _ pattern: [Substring], _ words: ArraySlice<Substring>
    ) throws(GotifyRefusal) -> GotifyRoute? {
        var idText: Substring?
        for (known, word) in zip(pattern, words) {
            switch known {
            case "#": idText = word
            case "*": name = String(word)
            default: guard known == word else { return nil }
            }
        }
        if let idText {
            let digits = Array(idText.utf8)
            guard let number = Int64(strictDecimal: digits.span), number >= 0 else { throw .badID }
            id = number
        }
        return self
    }

    /// What the caller needs a right to; nil if everybody may do it.
    private var use: TopicUse? {
        switch action {
        case .publish, .makeApplication: .publish
        // A token sees and ends no client but itself and those that it made.
        case .listMessages, .listMessagesOfApplication, .listApplications, .listClients,
            .makeClient, .deleteClient, .stream, .user:
            .read
        case .deleteMessages, .deleteMessage, .deleteMessagesOfApplication: .end
        case .changeApplication, .deleteApplication, .setPicture, .removePicture, .changeClient,
            .manageUsers:
            .manage
        case .version, .info, .health, .preflight, .picture, .usualPicture: nil
        }
    }

    /// Whether the caller may do such a thing at all; the topic is for `TopicAccess` to decide.
    /// Tokens are made and topics are numbered here, so a program of this machine needs a
    /// credential, too. Gotify answers to none as to a wrong one.
    package func admit(_ caller: TopicCaller) throws(AccessRefusal) {
        guard let use else { return }
        guard ![.impostor, .stranger, .thisMachine].contains(caller) else {
            throw .wrongCredential
        }
        guard caller.allows(use) else { throw .forbidden }
    }
}
