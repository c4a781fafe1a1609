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
        /// What cannot be read may take a right away.
        var hasUnreadableGrants = false
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
    var unreadable: [UnreadableRows] = []
}

extension ForeignServer {
    /// Some topics, and what somebody may do with them, by a pattern of SQL as ntfy keeps it.
    struct Grant: Confidential {
        /// The pattern in the form that it has here.
        let pattern: TopicPattern
        let rights: TopicRights
        /// Of several that cover a topic, one with the highest rank counts: `ORDER BY LENGTH(a.topic)
        /// DESC, a.write DESC`.
        fileprivate let rank: Int
        /// In lower case.
        private let parts: [UInt8]

        private static let one = UInt8(ascii: "?")

        /// Nil for a pattern that no topic of ntfy could match.
        init?(sql: String, rights: TopicRights) {
            var (parts, text) = ([UInt8](), [UInt8]())
            var isEscaped = false
            for byte in sql.utf8 {
                switch byte {
                case UInt8(ascii: "\\") where !isEscaped:
                    isEscaped = true
                    continue
                case UInt8(ascii: "%") where !isEscaped:
                    parts.append(UInt8(ascii: "*"))
                    text.append(UInt8(ascii: "*"))
                case UInt8(ascii: "_") where !isEscaped:
                    // Before version 5 of the schema it was not escaped, so it was a wildcard.
                    parts.append(Self.one)
                    text.append(byte)
                default:
                    guard byte.isWordCharacter else { return nil }
                    parts.append(byte.lowercased)
                    text.append(byte)
                }
                isEscaped = false
            }
            let shown = String(decoding: text, as: UTF8.self)
            guard !isEscaped, let pattern = TopicPattern(shown) else { return nil }
            (self.pattern, self.rights, self.parts) = (pattern, rights, parts)
            rank = 2 * sql.utf8.count + (rights.contains(.write) ? 1 : 0)
        }

        /// What holds for all topics on which nothing else was said.
        init?(usual rights: TopicRights) {
            guard let pattern = TopicPattern("*") else { return nil }
            (self.pattern, self.rights) = (pattern, rights)
            (rank, parts) = (0, [UInt8(ascii: "*")])
        }

        /// `LIKE` ignores the case of ASCII.
        fileprivate func covers(_ lowered: [UInt8]) -> Bool {
            TopicPattern.matches(lowered, parts, one: Self.one)
        }
    }
}

extension [ForeignServer.Grant] {
    /// What they give on a topic. Of several with one rank, any may come first for ntfy, so what they
    /// have in common.
    func rights(on name: TopicName) -> TopicRights {
        let lowered = name.text.utf8.map(\.lowercased)
        var (rank, rights) = (-1, TopicRights())
        for grant in self where grant.rank >= rank && grant.covers(lowered) {
            rights = grant.rank > rank ? grant.rights : rights.intersection(grant.rights)
            rank = grant.rank
        }
        return rights
    }
}

/// Rows of a table that hold something else than they should.
struct UnreadableRows: Equatable {
    let table: String
    private(set) var count = 0
    /// The first of them, by SQLite's numbers.
    private var numbers: [Int64] = []

    private static let named = 10

    init(_ table: String) { self.table = table }

    mutating func add(_ number: Int64) {
        if count < Self.named { numbers.append(number) }
        count += 1
    }

    var words: String {
        let list = numbers.map(String.init).joined(separator: ", ")
        let others = count - numbers.count
        return (count == 1 ? "row " : "rows ") + list + (others > 0 ? " and \(others) others" : "")
            + " cannot be read"
    }
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
