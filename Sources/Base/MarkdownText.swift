/// A text with marks of Markdown, for the screen: bold, italic, code, links, headings and lists. Marks
/// that are no such thing are text.
///
/// A mark holds within its line. The work is proportional to the length of the text, whatever is in
/// it.
package struct MarkdownText {
    struct Style: Equatable {
        var isBold = false
        var isItalic = false
        /// Begins with `https://`; empty for none.
        var link = ""
    }

    private struct Run {
        var text: String
        var style: Style
    }

    private var lines: [[Run]] = []

    package init(_ text: String) {
        var isCode = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let scalars = Array(line.unicodeScalars)
            if Self.isFence(scalars) {
                isCode.toggle()
            } else if isCode {
                lines.append([Run(text: String(line), style: Style())])
            } else {
                lines.append(Self.runs(of: scalars))
            }
        }
    }

    /// The text without its marks.
    package var plain: String {
        lines.map { line in
            line.map { Self.shown($0, before: nil, hasLinks: false) }.joined()
        }.joined(separator: "\n")
    }

    /// The markup of notifications (Desktop Notifications Specification, "Markup"): only the elements
    /// `b` and `i`, and, if the reader knows links, `a`.
    package func markup(hasLinks: Bool) -> String {
        lines.map { line in
            line.indices.map { index in
                let run = line[index]
                let next = index + 1 < line.count ? line[index + 1] : nil
                let text = Printable.markup(Self.shown(run, before: next, hasLinks: hasLinks))
                guard !text.isEmpty else { return "" }
                var (start, end) = ("", "")
                if hasLinks, !run.style.link.isEmpty {
                    start += "<a href=\"\(Printable.markup(run.style.link))\">"
                    end = "</a>"
                }
                if run.style.isBold { (start, end) = (start + "<b>", "</b>" + end) }
                if run.style.isItalic { (start, end) = (start + "<i>", "</i>" + end) }
                return start + text + end
            }.joined()
        }.joined(separator: "\n")
    }

    /// A link that cannot be one is said, and where one leads whose text does not begin with that. The
    /// text of a link behind it would read as a part of the address.
    private static func shown(_ run: Run, before next: Run?, hasLinks: Bool) -> String {
        let link = run.style.link
        guard !link.isEmpty else { return run.text }
        guard hasLinks else { return link == run.text ? link : "\(run.text) (\(link))" }
        let isJoined = next?.style.link.isEmpty == false
        let host = HiddenHost.behind(isJoined ? "" : run.text, link)
        return host.map { "\(run.text) (\($0))" } ?? run.text
    }

    private static func isFence(_ line: [Unicode.Scalar]) -> Bool {
        let rest = line.drop { $0 == " " }
        return rest.starts(with: ["`", "`", "`"]) || rest.starts(with: ["~", "~", "~"])
    }

    private static func runs(of line: [Unicode.Scalar]) -> [Run] {
        let indent = String(String.UnicodeScalarView(line.prefix { $0 == " " }))
        var rest = line[indent.unicodeScalars.count...]
        var style = Style()
        var start = indent
        let level = rest.prefix { $0 == "#" }.count
        if isRule(rest) { return [Run(text: "———", style: style)] }
        if (1...6).contains(level), rest.dropFirst(level).first == " " {
            style.isBold = true
            rest = rest.dropFirst(level).drop { $0 == " " }
        } else if let mark = rest.first, "-*+".unicodeScalars.contains(mark),
            rest.dropFirst().first == " "
        {
            start += "• "
            rest = rest.dropFirst(2)
        }
        var reader = LineReader(Array(rest), style)
        reader.read()
        return [Run(text: start, style: Style())] + reader.runs.map { Run(text: $0, style: $1) }
    }

    /// Three or more of one sign.
    private static func isRule(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let mark = line.first, line.count >= 3, "-*_".unicodeScalars.contains(mark) else {
            return false
        }
        return line.allSatisfy { $0 == mark }
    }
}

/// Reads the marks within one line.
private struct LineReader {
    private let line: [Unicode.Scalar]
    private let usual: MarkdownText.Style
    private var style: MarkdownText.Style
    private var index = 0
    private var text = String.UnicodeScalarView()
    private(set) var runs: [(String, MarkdownText.Style)] = []
    /// The marks that opened what is bold and italic.
    private var bold: [Unicode.Scalar]?
    private var italic: [Unicode.Scalar]?
    /// From where to where each mark was looked for; it is at the end, or there is none.
    private var places: [[Unicode.Scalar]: ClosedRange<Int>] = [:]
    /// Where runs of backticks begin, by their length, the last one first; nil before the first look.
    private var codes: [Int: [Int]]?

    init(_ line: [Unicode.Scalar], _ style: MarkdownText.Style) {
        self.line = line
        (usual, self.style) = (style, style)
    }

    mutating func read() {
        while index < line.count {
            switch line[index] {
            case "\\" where isPunctuation(at: index + 1): take(line[index + 1], 2)
            case "`": readCode()
            case "*", "_": readEmphasis()
            case "[": readLink(at: index)
            case "!" where isThere(["["], at: index + 1): readLink(at: index + 1)
            case "<": readAddress()
            default: take(line[index], 1)
            }
        }
        end()
    }

    private mutating func take(_ scalar: Unicode.Scalar, _ length: Int) {
        text.append(scalar)
        index += length
    }

    private mutating func end() {
        if !text.isEmpty { runs.append((String(text), style)) }
        text = String.UnicodeScalarView()
    }

    private func isThere(_ mark: [Unicode.Scalar], at place: Int) -> Bool {
        place + mark.count <= line.count && line[place..<place + mark.count].elementsEqual(mark)
    }

    private func isPunctuation(at place: Int) -> Bool {
        line.indices.contains(place) && line[place].isASCII
            && line[place].properties.generalCategory.isPunctuation
    }

    private func isBlank(at place: Int) -> Bool {
        !line.indices.contains(place) || line[place].properties.isWhitespace
    }

    private func isLetter(at place: Int) -> Bool {
        line.indices.contains(place)
            && (line[place].properties.isAlphabetic || line[place].properties.numericType != nil)
    }

    /// Where a mark comes next, from `start` on.
    private mutating func place(of mark: [Unicode.Scalar], from start: Int) -> Int? {
        if let known = places[mark], known.lowerBound <= start, start <= known.upperBound {
            return known.upperBound < line.count ? known.upperBound : nil
        }
        var place = start
        while place + mark.count <= line.count {
            if isThere(mark, at: place) {
                places[mark] = start...place
                return place
            }
            place += 1
        }
        places[mark] = start...Int.max
        return nil
    }

    private mutating func readCode() {
        let length = line[index...].prefix { $0 == "`" }.count
        let start = index + length
        guard let close = code(ofLength: length, from: start) else {
            for _ in 0..<length { take("`", 1) }
            return
        }
        text.append(contentsOf: line[start..<close])
        index = close + length
    }

    /// Where the next run of just so many backticks is. They are looked for once in a line, because
    /// there may be one of each length.
    private mutating func code(ofLength length: Int, from start: Int) -> Int? {
        if codes == nil { codes = Self.runs(of: "`", in: line) }
        while let place = codes?[length]?.last, place < start { codes?[length]?.removeLast() }
        return codes?[length]?.last
    }

    private static func runs(of mark: Unicode.Scalar, in line: [Unicode.Scalar]) -> [Int: [Int]] {
        var runs: [Int: [Int]] = [:]
        var end = line.count
        while end > 0 {
            guard line[end - 1] == mark else {
                end -= 1
                continue
            }
            let start = line[..<end].lastIndex { $0 != mark }.map { $0 + 1 } ?? 0
            runs[end - start, default: []].append(start)
            end = start
        }
        return runs
    }

    private mutating func readEmphasis() {
        let sign = line[index]
        let mark = isThere([sign, sign], at: index) ? [sign, sign] : [sign]
        let isStrong = mark.count == 2
        let isOpen = isStrong ? bold : italic
        let (before, after) = (index - 1, index + mark.count)
        // In the middle of a word, an underline is part of it.
        let isInWord = sign == "_" && isLetter(at: before) && isLetter(at: after)
        if isOpen == mark, !isBlank(at: before), !isInWord {
            end()
            set(isStrong, nil)
        } else if isOpen == nil, !isBlank(at: after), !isInWord,
            place(of: mark, from: after + 1) != nil
        {
            end()
            set(isStrong, mark)
        } else {
            return mark.forEach { take($0, 1) }
        }
        index += mark.count
    }

    private mutating func set(_ isStrong: Bool, _ mark: [Unicode.Scalar]?) {
        if isStrong {
            bold = mark
            style.isBold = usual.isBold || mark != nil
        } else {
            italic = mark
            style.isItalic = mark != nil
        }
    }

    /// `[text](address)`; of a picture, the text is shown.
    private mutating func readLink(at start: Int) {
        guard let close = place(of: ["]", "("], from: start + 1), line[close - 1] != "\\",
            let last = place(of: [")"], from: close + 2)
        else { return take(line[index], 1) }
        let words = Array(line[start + 1..<close])
        let address = line[close + 2..<last].prefix { $0 != " " }
        add(words, String(String.UnicodeScalarView(address)), last + 1)
    }

    /// `<https://…>`
    private mutating func readAddress() {
        guard isThere(Array("<https://".unicodeScalars), at: index),
            let close = place(of: [">"], from: index + 1)
        else { return take("<", 1) }
        let address = Array(line[index + 1..<close])
        add(address, String(String.UnicodeScalarView(address)), close + 1)
    }

    private mutating func add(_ words: [Unicode.Scalar], _ address: String, _ next: Int) {
        end()
        var view = String.UnicodeScalarView()
        view.append(contentsOf: words)
        var linked = style
        linked.link = Self.isLink(address) ? address : ""
        if !words.isEmpty { runs.append((String(view), linked)) }
        index = next
    }

    private static func isLink(_ address: String) -> Bool {
        address.hasPrefix("https://") && address.utf8.count <= 2_048
            && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension Unicode.GeneralCategory {
    /// ASCII has signs of all these kinds, and each can be escaped.
    fileprivate var isPunctuation: Bool {
        switch self {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol:
            true
        default: false
        }
    }
}
