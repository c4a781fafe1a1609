import Testing

@testable import Topics

@Suite("Slack's mrkdwn")
struct SlackTextTests {
    /// What has no sign of Markdown stays plain text.
    static let unstyled: [(slack: String, text: String)] = [
        ("a &amp; b &lt;c&gt;", "a & b <c>"), ("&amp;lt;", "&lt;"), ("&copy; & &", "&copy; & &"),
        ("<https://a/b>", "https://a/b"), ("<https://a|https://a>", "https://a"),
        ("<https://a/?x=1&amp;y=2>", "https://a/?x=1&y=2"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"), ("<!here> <!channel|all>", "@here all"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<@U1> <@U1|ann> <#C1|general>", "@U1 @ann #general"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("<", "<"), ("<>", "<>"), ("<|x>", "<|x>"),
        ("a <b <c>", "a <b <c>"), ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("*a", "*a"), ("**", "**"), ("* a *", "* a *"), ("a*b*c", "a*b*c"), ("*a\nb*", "*a\nb*"),
        ("~", "~"), ("`", "`"), ("``````", "``````"), ("`a\nb`", "`a\nb`"), ("a\u{0}b", "ab"),
    ]

    @Test("Text without a style is plain text", arguments: unstyled)
    func plain(_ row: (slack: String, text: String)) {
        let text = SlackText(row.slack)
        #expect(!text.needsMarkdown && text.title == row.text)
    }

    static let styled: [(slack: String, markdown: String, title: String)] = [
        ("see <https://a/b|the page>!", "see [the page](https://a/b)!", "see the page!"),
        ("*a* _b_ ~c~ `d`", "**a** _b_ ~~c~~ `d`", "a b c d"), ("*a b*", "**a b**", "a b"),
        ("*_a_ b*.", "**_a_ b**.", "a b."), ("_*a*_", "_**a**_", "a"),
        ("*a* *b*", "**a** **b**", "a b"),
        ("*a _b* c_", "**a \\_b** c\\_", "a _b c_"), ("*größe*", "**größe**", "größe"),
        ("`a_b *c*`", "`a_b *c*`", "a_b *c*"), ("*x `*` y*", "**x `*` y**", "x * y"),
        ("```\na\n*b*\n```", "```\na\n*b*\n```", "\na\n*b*\n"),
        ("`x` a*b 2 * 3 s_t _u", "`x` a\\*b 2 * 3 s_t \\_u", "x a*b 2 * 3 s_t _u"),
        ("`x` [a](b) &lt;b> \\*", "`x` [a\\](b) \\<b> \\\\\\*", "x [a](b) <b> \\*"),
        ("*<https://a/b_c|x_y>*", "**[x_y](https://a/b_c)**", "x_y"),
        ("<https://a/(b) c|[x](y)>", "[[x\\](y)](https://a/%28b%29%20c)", "[x](y)"),
        ("*a\nb* *c*", "\\*a\nb\\* **c**", "*a\nb* c"),
    ]

    @Test("Styles, code and links with labels become Markdown", arguments: styled)
    func markdown(_ row: (slack: String, markdown: String, title: String)) {
        let text = SlackText(row.slack)
        #expect(text.needsMarkdown && text.markdown == row.markdown)
        #expect(text.title == GoText.trimmed(row.title))
    }

    @Test("Without formatting, signs stand for themselves, and links are links")
    func literal() {
        let text = SlackText("*a* `b` <https://a/1|c> &amp;", isFormatted: false)
        #expect(text.markdown == "\\*a\\* \\`b\\` [c](https://a/1) &")
        #expect(text.link == "https://a/1")
    }

    @Test(
        "A long text of signs takes no longer than other text",
        arguments: [
            "<", "*a ", "`", "```a", "_a*b~c ", "&", "<a|", "*a\n", "~*_",
            String(repeating: "<", count: 4_000) + ">",
        ])
    func long(sign: String) {
        let text = String(repeating: sign, count: (1 << 20) / sign.utf8.count)
        let clock = ContinuousClock()
        let time = clock.measure { _ = SlackText(text).markdown }
        // In time that grows with the square of the length, it would be hours.
        #expect(time < .seconds(20))
    }
}
