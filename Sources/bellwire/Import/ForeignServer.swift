import Base
import Topics
import WebPush

/// What another server has, without the messages.
struct ForeignServer: Confidential {
    struct User: Confidential {
        let name: String
        var isAdministrator = false
        /// Nil if the server does not tell.
        var grants: [Grant]? = []
    }

    /// Some topics, and what somebody may do with them.
    struct Grant: Confidential {
        let pattern: TopicPattern
        let rights: TopicRights

        func covers(_ name: TopicName) -> Bool { pattern.matches(name) }
    }

    struct Topic: Confidential {
        /// By which its server finds it.
        let key: String
        /// What it is called, which need not be a name in an address.
        let name: String
        /// Whose it is; nil if it is everybody's who has a right.
        var user: String?
        var application: ApplicationDetails?
    }

    struct Token: Confidential {
        let text: String
        let user: String
        let label: String
        /// In seconds since 1970; nil for one that does not end by itself.
        var end: Int64?
        /// The key of the topic to which it pushes, and nothing else.
        var topic: String?
    }

    let product: String
    var users: [User] = []
    var topics: [Topic] = []
    var tokens: [Token] = []
}

/// A message of another server.
struct ForeignMessage: Confidential {
    /// By this one it is known if it is taken again.
    let id: TopicMessageID
    let time: Int64
    /// Its file is with the server, and has this name there.
    var file: String?
    /// Writes what else it says.
    let members: (inout JSONWriter) -> Void

    func json(with file: [UInt8]? = nil) -> String {
        JSONWriter.object { writer in
            writer.member("id", id.text)
            writer.member("time", Int(time))
            members(&writer)
            if let file { writer.member("file", Base64.text(file.span)) }
        }.text
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

/// The newest messages of a topic, the oldest first.
struct ForeignMessages: Confidential {
    /// A topic keeps no more.
    static let most = 10_000

    var messages: [ForeignMessage] = []
    var unreadable = 0
}

/// Where another server's data is read.
protocol ForeignSource {
    func survey() throws -> ForeignServer
    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages
    /// The file of a message; nil if it is not there, or too long.
    func file(_ name: String) throws -> [UInt8]?
}
