import Base

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
