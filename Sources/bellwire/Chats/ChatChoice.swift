import Base

/// The chat that the user named, out of all accounts.
struct ChatChoice {
    let report: ChatReport
    let chat: ChatReport.Chat

    /// Matches the number, the title, or the beginning of only one title.
    init(_ name: String, in reports: [ChatReport]) throws {
        let all = reports.flatMap { report in report.chats.map { (report: report, chat: $0) } }
        let word = name.lowercased()
        let found = [
            all.filter { String($0.chat.id) == name },
            all.filter { $0.chat.title.lowercased() == word },
            all.filter { $0.chat.title.lowercased().hasPrefix(word) },
        ].first { !$0.isEmpty }
        guard let found, let only = found.first, !name.isEmpty else {
            throw CommandError(
                message: "no chat has a title that begins with \(name)",
                hint: "run bellwire chats to list them all", exitCode: .refused)
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map {
                "\($0.chat.name) (\($0.chat.id), \($0.report.account))"
            }
            throw CommandError.usage(
                "\(found.count) chats match: " + names.joined(separator: ", ")
                    + (found.count > names.count ? ", …" : ""),
                hint: "give more of the title, use the number, or add --account")
        }
        (report, chat) = only
    }
}
