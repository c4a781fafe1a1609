import Base

/// A chat that a person named, among those of all accounts that it may be in.
struct ChatChoice {
    let report: ChatReport
    let chat: ChatReport.Chat

    /// By its number, its title, or the beginning of that, if no other one begins so.
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
                message: "there is no chat whose title begins with \(name)",
                hint: "bellwire chats shows all of them", exitCode: .refused)
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map {
                "\($0.chat.name) (\($0.chat.id), \($0.report.account))"
            }
            throw CommandError.usage(
                "\(found.count) chats may be meant: " + names.joined(separator: ", ")
                    + (found.count > names.count ? ", …" : ""),
                hint: "write more of the title, the number, or the account by --account")
        }
        (report, chat) = only
    }
}
