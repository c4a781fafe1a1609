import Base
import Configuration
import Notifications
import WebPush

/// What somebody wants of a topic besides its name: who reaches it, and what it keeps.
struct TopicWish {
    private let isOpen: Bool
    private let isPrivate: Bool
    /// `read` for an address to read from, too.
    private let secret: String?
    /// Nil if nothing is said about it.
    private let keep: Keeping?
    private let isRaw: Bool?
    /// Nil if nothing is said about it.
    private let inside: [String]?
    private let dismissal: DismissalReach?
    /// The word of the command; nil if nothing is said about it.
    private let pictures: String?
    /// Empty for none; nil if nothing is said about it.
    private let title: String?
    private let description: String?

    static let dismissals = DismissalReach.allCases.map(\.rawValue)

    private enum Keeping {
        case asUsual
        case seconds(Int)

        init(_ text: String) throws {
            self =
                switch text {
                case "off": .seconds(0)
                case "default": .asUsual
                default: .seconds(try TimeSpan.typed(text))
                }
        }

        var seconds: Int? { if case .seconds(let seconds) = self { seconds } else { nil } }
    }

    init(_ arguments: Arguments) throws {
        (isOpen, isPrivate) = (arguments.has("open"), arguments.has("private"))
        secret = arguments["secret"]
        guard !isPrivate || !isOpen && secret == nil else {
            throw CommandError.usage("--private ends what --open and --secret make")
        }
        keep = try arguments["keep"].map { try Keeping($0) }
        isRaw = try arguments["raw"].map { word in
            guard ["on", "off"].contains(word) else {
                throw CommandError.usage("--raw takes on or off")
            }
            return word == "on"
        }
        inside = try arguments["inside"].map { text in
            let words = text == "none" ? [] : text.split(separator: ",").map { String($0) }
            guard let hosts = NamedHosts(words) else {
                throw CommandError.usage(
                    "--inside takes names of hosts or their addresses, with commas, or none")
            }
            return hosts.names
        }
        dismissal = arguments["dismiss"].flatMap(DismissalReach.init)
        guard dismissal != nil || arguments["dismiss"] == nil else {
            throw CommandError.usage("--dismiss takes \(Wording.list(Self.dismissals))")
        }
        pictures = arguments["pictures"]
        guard pictures.map({ ["own", "all", "off"].contains($0) }) != false else {
            throw CommandError.usage("--pictures takes own, all or off")
        }
        (title, description) = (arguments["title"], arguments["description"])
    }

    /// What to ask for, of a topic that is `former`; nil if that is what it has.
    func details(after former: TopicDetails) -> TopicDetails? {
        let present = former.settings
        var wanted = present
        if isPrivate {
            (wanted.isOpen, wanted.isSecret, wanted.isSecretlyRead) = (false, false, false)
        }
        if isOpen { wanted.isOpen = true }
        if secret != nil { wanted.isSecret = true }
        if secret == "read" { wanted.isSecretlyRead = true }
        if let keep { wanted.keep = keep.seconds }
        if let isRaw { wanted.isRaw = isRaw }
        if let inside { wanted.inside = inside }
        if let dismissal { wanted.dismiss = dismissal == .everywhere ? nil : dismissal.rawValue }
        if let pictures { wanted.pictures = pictures == "own" ? nil : pictures }
        let application = former.application ?? ApplicationDetails()
        var named = application
        named.name = title ?? named.name
        named.description = description ?? named.description
        if named != application { wanted.application = named }
        return wanted == present ? nil : wanted
    }
}

extension TopicDetails {
    /// How others reach it, in one word each, and what they may have fetched.
    var reach: String {
        let words = [(isOpen, "open"), (isSecret, "secret"), (isSecretlyRead, "secret to read")]
        let linked = pictures.map { ["linked pictures: \($0)"] } ?? []
        return (words.filter(\.0).map(\.1) + linked).joined(separator: ", ")
    }

    /// Empty as usual.
    var dismissing: String {
        dismiss == nil ? "" : "what you close on one screen stays on the others"
    }

    /// What happens to what came.
    var keeping: String {
        switch keep {
        case nil: "keeps what comes"
        case 0: "keeps nothing"
        case let seconds?: "keeps what comes for " + TimeSpan.text(seconds)
        }
    }
}
