import Base

/// What happens in a repository, as GitHub, Forgejo and Gitea push it. The event's name comes in a
/// header field, which the intake puts into the payload.
enum GitHubDialect {
    static let eventMember: StaticString = "x-github-event"

    private static let advice = "in the repository: Settings, Webhooks; POST, application/json"

    static let webhook = Webhook(
        sources: [
            "github": """
            at GitHub: Settings, Webhooks, Add webhook; content type application/json, no secret
            """,
            "forgejo": advice, "gitea": advice,
        ],
        members: members, marks: [eventMember, "repository"],
        isSurely: { root, fields in
            root.has(eventMember)
                || !fields.event.isEmpty && root["repository"]?.kind == .object
        }, rewrite: payload)

    private static let members: Set = [
        "action", "after", "body", "comment", "commits", "compare", "compare_url", "conclusion",
        "content",
        "created", "deleted", "draft", "event", "forced", "full_name", "head_branch", "head_commit",
        "head_repository", "html_url", "id", "is_pull", "issue", "login", "merged", "message",
        "name", "number",
        "prerelease", "pull_request", "pusher", "ref", "ref_type", "release", "repository",
        "review", "sender", "state", "tag_name", "title", "total_commits", "type", "url", "user",
        "username", "workflow_run", "zen", "x-github-event",
    ]

    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = PlainDialect.object(payload), let event = name(of: root) else {
            return PlainDialect.events(payload, context)
        }
        let place = RepositoryPlace(root)
        switch event {
        case "push": return [push(root, place)]
        case "pull_request_comment" where root.has("review"): return [review(root, place)]
        case "issues": return numbered(root, place, root["issue"], "issue")
        case "pull_request": return numbered(root, place, root["pull_request"], "pull request")
        case "issue_comment", "pull_request_comment", "commit_comment",
            "pull_request_review_comment":
            return comment(root, place)
        case "pull_request_review", "pull_request_approved", "pull_request_rejected":
            return [review(root, place)]
        case "release": return release(root, place)
        case "workflow_run": return run(root, place)
        case "ping":
            return [place.note("Notifications of \(place.repository) come here").event]
        default: return [other(event, root, place)]
        }
    }

    /// The name of the event, or what the payload looks like. Nil if it is none of a repository.
    private static func name(of root: JSONNode) -> String? {
        if let name = root[eventMember]?.text, !name.isEmpty { return NoteText.cut(name, 64) }
        guard root.has("repository") else { return nil }
        if root.has("starred_at") { return "star" }
        if root.has("workflow_run") { return "workflow_run" }
        if root.has("release") { return "release" }
        if root.has("review") { return "pull_request_review" }
        if root.has("comment") { return "issue_comment" }
        if root.has("pull_request") { return "pull_request" }
        if root.has("issue") { return "issues" }
        return root.has("commits") ? "push" : "event"
    }

    private static func push(_ root: JSONNode, _ place: RepositoryPlace) -> Event {
        let ref = NoteText.title(root["ref"]) ?? ""
        let kind = ref.hasPrefix("refs/tags/") ? "tag" : "branch"
        let branch = ref.split(separator: "/", maxSplits: 2).last.map(String.init) ?? ref
        if root["deleted"]?.bool == true {
            return place.note("\(place.actor) deleted the \(kind) \(branch)").event
        }
        let commits = root["commits"]?.elements ?? []
        let count = max(root["total_commits"]?.integer ?? 0, Int64(commits.count))
        let last = root["head_commit"] ?? commits.last
        var body: String
        switch count {
        case 0: body = "\(place.actor) created the \(kind) \(branch)"
        case 1: body = "\(place.actor) pushed to \(branch)"
        default: body = "\(place.actor) pushed \(count) commits to \(branch)"
        }
        if count > 0, let message = NoteText.body(last?["message"]) {
            body += ": " + firstLine(of: message)
        }
        var note = place.note(body)
        note.link = NoteText.link(
            count > 1 ? root["compare"] ?? root["compare_url"] : last?["url"], root["compare"],
            root["compare_url"], place.link)
        return note.event
    }

    /// An issue or a pull request. Each has one notification, about the last thing that happened.
    private static func numbered(
        _ root: JSONNode, _ place: RepositoryPlace, _ subject: JSONNode?, _ kind: String
    ) -> [Event] {
        guard let subject, let number = NoteText.name(subject["number"] ?? root["number"]) else {
            return [other(kind, root, place)]
        }
        let action = NoteText.title(root["action"]) ?? "changed"
        let isMerged = action == "closed" && subject["merged"]?.bool == true
        var note = place.note(
            "\(place.actor) \(isMerged ? "merged" : words(action)) \(kind) #\(number)"
                + suffix(subject["title"]))
        note.name = place.name("#\(number)")
        note.link = NoteText.link(subject["html_url"], place.link)
        // Only what needs attention makes a sound again.
        note.replacement = loudActions.contains(action) ? .anew : .inPlace
        return [note.event]
    }

    private static let loudActions: Set = [
        "opened", "closed", "reopened", "assigned", "review_requested", "ready_for_review",
    ]

    private static func comment(_ root: JSONNode, _ place: RepositoryPlace) -> [Event] {
        let comment = root["comment"]
        let name = NoteText.name(comment?["id"]).map { place.name("comment:\($0)") } ?? ""
        if root["action"]?.text == "deleted" {
            return [name.isEmpty ? .ignored : .ended(name: name, order: nil)]
        }
        let subject = root["issue"] ?? root["pull_request"]
        let number = NoteText.name(subject?["number"]).map { " on #\($0)" } ?? ""
        var note = place.note(
            "\(place.actor) commented\(number)\(suffix(subject?["title"]))",
            NoteText.body(comment?["body"]))
        note.name = name
        note.link = NoteText.link(comment?["html_url"], subject?["html_url"], place.link)
        return [note.event]
    }

    private static func review(_ root: JSONNode, _ place: RepositoryPlace) -> Event {
        let (request, review) = (root["pull_request"], root["review"])
        let number = NoteText.name(request?["number"] ?? root["number"]).map { " #\($0)" } ?? ""
        let verb =
            switch NoteText.title(review?["state"] ?? review?["type"])?.lowercased() {
            case "approved", "pull_request_review_approved": "approved"
            case "changes_requested", "pull_request_review_rejected": "requested changes to"
            default: "reviewed"
            }
        var note = place.note(
            "\(place.actor) \(verb) pull request\(number)\(suffix(request?["title"]))",
            NoteText.body(review?["body"] ?? review?["content"]))
        note.link = NoteText.link(review?["html_url"], request?["html_url"], place.link)
        return note.event
    }

    /// A release is announced several times; only once it is there for everybody.
    private static func release(_ root: JSONNode, _ place: RepositoryPlace) -> [Event] {
        guard root["action"]?.text == "published" else { return [.ignored] }
        let release = root["release"]
        let title =
            NoteText.title(release?["name"]) ?? NoteText.title(release?["tag_name"]) ?? "a release"
        var note = place.note(
            "\(place.actor) released \(title)", NoteText.body(release?["body"]))
        note.name = (NoteText.name(release?["tag_name"])).map { place.name("release:\($0)") } ?? ""
        note.link = NoteText.link(release?["html_url"], place.link)
        return [note.event]
    }

    /// The result of a workflow on a branch takes the place of the result before, unless something
    /// else ran it, or it ran what is in another repository.
    private static func run(_ root: JSONNode, _ place: RepositoryPlace) -> [Event] {
        let run = root["workflow_run"]
        guard root["action"]?.text == "completed",
            let conclusion = NoteText.title(run?["conclusion"])
        else { return [.ignored] }
        let workflow = NoteText.title(run?["name"]) ?? "The workflow"
        let head = NoteText.title(run?["head_repository"]?["full_name"])
        let fork = head.map { $0 == place.repository ? "" : "\($0):" } ?? ""
        let branch = NoteText.title(run?["head_branch"]).map { " on \(fork)\($0)" } ?? ""
        let isGreen = conclusion == "success"
        var note = place.note("\(workflow)\(branch): \(words(conclusion))")
        note.name = name(ofRun: run, place)
        note.replacement = .anew
        note.link = NoteText.link(run?["html_url"], place.link)
        let isLow = isGreen || conclusion == "skipped" || conclusion == "neutral"
        note.urgency = isLow ? .low : .normal
        return [note.event]
    }

    /// Who sends a pull request chooses the names of workflow and branch, so they come last. Nothing
    /// that stands before them has a colon.
    private static func name(ofRun run: JSONNode?, _ place: RepositoryPlace) -> String {
        var name = "run"
        for part in [
            run?["event"], run?["head_repository"]?["full_name"], run?["name"], run?["head_branch"],
        ] {
            let text = part?.textOrNumber ?? ""
            guard text.utf8.count <= NoteText.nameLimit else { return "" }
            name += ":" + text
        }
        return place.name(name)
    }

    private static func other(
        _ event: String, _ root: JSONNode, _ place: RepositoryPlace
    ) -> Event {
        let action = NoteText.title(root["action"]).map { " \(words($0))" } ?? ""
        return place.note("\(place.actor): \(words(event))\(action)").event
    }

    private static func words(_ word: String) -> String { word.replacing("_", with: " ") }

    private static func firstLine(of text: String) -> String {
        String(text.prefix { !$0.isNewline })
    }

    private static func suffix(_ title: JSONNode?) -> String {
        NoteText.title(title).map { ": \($0)" } ?? ""
    }
}

/// The event's name becomes part of the payload.
extension GitHubDialect {
    private static func payload(of body: [UInt8], _ fields: SenderFields) -> [UInt8] {
        let body = FormBody.json(body) ?? body
        let event = fields.event
        guard !event.isEmpty || body.count > Dialect.cutLimit else { return body }
        guard let root = PlainDialect.object(body) else { return Webhook.text(of: body) }
        return (event.isEmpty ? cut(root, event) : named(event, root, body))
            ?? Webhook.text(of: body)
    }

    private static func named(_ event: String, _ root: JSONNode, _ body: [UInt8]) -> [UInt8]? {
        guard body.count <= Dialect.cutLimit, !root.isTooNested else { return cut(root, event) }
        var writer = JSONWriter(capacity: body.count + 64)
        writer.object { writer in
            writer.member(eventMember, event)
            for (name, value) in root.firstMembers where name != "\(eventMember)" {
                writer.name(text: name)
                writer.value(value)
            }
        }
        return writer.count <= Dialect.cutLimit ? writer.bytes : cut(root, event)
    }

    private static func cut(_ root: JSONNode, _ event: String) -> [UInt8]? {
        let commits = root["commits"]?.elements.count ?? 0
        return MemberCutter(names: members).cut(root) { writer in
            if !event.isEmpty { writer.member(eventMember, event) }
            // Not all of them are kept.
            if commits > 1, !root.has("total_commits") { writer.member("total_commits", commits) }
        }
    }
}

/// The repository of an event, and who caused it.
struct RepositoryPlace {
    let repository: String
    let actor: String
    let link: JSONNode?

    init(_ root: JSONNode) {
        repository =
            NoteText.title(root["repository"]?["full_name"])
            ?? NoteText.title(root["repository"]?["name"]) ?? "Repository"
        let people = [root["sender"]?["login"], root["pusher"]?["name"], root["pusher"]?["login"]]
        actor = people.lazy.compactMap { NoteText.title($0) }.first ?? "Somebody"
        link = root["repository"]?["html_url"]
    }

    func name(_ thing: String) -> String { "repository:\(repository):\(thing)" }

    func note(_ what: String, _ text: String? = nil) -> Note {
        Note(
            conversation: "repository:\(repository)", conversationTitle: repository,
            title: repository, body: text.map { "\(what)\n\($0)" } ?? what)
    }
}

/// A form with one field, `payload`, which is how GitHub sends its JSON if nobody asks for another
/// type.
package enum FormBody {
    private static let start = Array("payload=".utf8)

    /// Nil for any other body.
    package static func json(_ body: [UInt8]) -> [UInt8]? {
        guard body.starts(with: start) else { return nil }
        let value = body.dropFirst(start.count).prefix { $0 != UInt8(ascii: "&") }
        return PercentEncoding.decoded(value, inForm: true)
    }
}
