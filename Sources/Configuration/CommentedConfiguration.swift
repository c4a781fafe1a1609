import Base

/// The file that packages install: every key as a comment.
package enum CommentedConfiguration {
    private static let introduction = """
        Configuration of Bellwire. A system service reads /etc/bellwire/bellwire.conf; a server that a \
        user starts reads ~/.config/bellwire/bellwire.conf. You can leave out every setting: a line \
        that begins with "#" shows the default, or an example. "bellwire check" shows the settings in \
        force and where each comes from. SIGHUP ("systemctl reload bellwire") reads the file again and \
        applies the changes; only clients that are no longer allowed in are disconnected.
        """

    package static var text: String {
        let parts =
            [comment(introduction)]
            + ConfigurationKey.all.map { key in
                let words = Wording.sentence(key.explanation)
                return comment(key.more.isEmpty ? words : words + " " + key.more)
                    + key.examples.map { "#\(key.name) = \($0)\n" }.joined()
            }
        return parts.joined(separator: "\n")
    }

    private static func comment(_ words: String) -> String {
        Wording.lines(words, width: 100, after: "# ", indent: 2).enumerated()
            .map { index, line in (index == 0 ? line : "#" + line.dropFirst()) + "\n" }.joined()
    }
}
