import Base

/// A text in Slack's mrkdwn: links and names in angle brackets, three characters as entities, and
/// signs around what is bold, slanted, struck out or code.
struct SlackText {
    fileprivate enum Piece {
        case text(String)
        /// Where something begins or ends that looks otherwise, in Markdown.
        case mark(StaticString)
        case code(String, isBlock: Bool)
        case link(label: String, target: String)
    }

    private var pieces: [Piece] = []

    /// Nothing, to which parts are added that are told apart already.
    init() {}

    /// Unless it `isFormatted`, signs stand for themselves.
    init(_ text: String, isFormatted: Bool = true) {
        var reader = SlackReader(text)
        reader.read(codes: isFormatted)
        var styles = SlackStyles(reader)
        styles.read(isFormatted: isFormatted)
        pieces = styles.pieces
    }

    mutating func append(_ text: String) { pieces.append(.text(text)) }

    mutating func append(label: String, target: String) {
        pieces.append(.reference(label: label, target: target))
    }

    var isEmpty: Bool { title.isEmpty }

    /// As plain text it would look worse.
    var needsMarkdown: Bool {
        pieces.contains { if case .text = $0 { false } else { true } }
    }

    /// For a reader who sees signs as signs. Labels stand for their links.
    var title: String {
        let parts = pieces.map { piece in
            switch piece {
            case .text(let text), .code(let text, _): text
            case .mark: ""
            case .link(let label, _): label
            }
        }
        return GoText.trimmed(parts.joined())
    }

    var markdown: String {
        let parts = pieces.map { piece in
            switch piece {
            case .text(let text): WrittenMarkdown.escaped(text)
            case .mark(let mark): "\(mark)"
            case .code(let text, true): "```\n\(text[...].trimmed)\n```"
            case .code(let text, false): "`\(text)`"
            case .link(let label, let target):
                "[\(WrittenMarkdown.escaped(label))](\(WrittenMarkdown.target(target)))"
            }
        }
        return GoText.trimmed(parts.joined())
    }

    /// The first link to the web that has a label.
    var link: String? {
        for case .link(_, let target) in pieces where target.isWebAddress { return target }
        return nil
    }
}

extension SlackText.Piece {
    fileprivate static func reference(label: String, target: String) -> SlackText.Piece {
        if target == "mailto:" + label { return .text(label) }
        let isLink = URLScheme.of(target) != nil && !label.isEmpty && label != target
        return isLink ? .link(label: label, target: target) : .text(target)
    }
}

/// Decodes entities, and takes out links and code, which are no text to look for other signs in.
private struct SlackReader {
    private let bytes: [UInt8]
    private var index = 0
    /// A zero stands for the next of `parts`.
    private(set) var text: [UInt8] = []
    private(set) var parts: [SlackText.Piece] = []
    /// The next places of what ends a part. They are looked for once, so that a long text of signs
    /// costs no more than its length.
    private var ends: [[UInt8]: Int] = [:]

    /// In bytes; a longer one is no link.
    private static let longestLink = 4_096
    private static let entities: [(name: [UInt8], sign: UInt8)] = [
        (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
        (Array("&gt;".utf8), UInt8(ascii: ">")),
    ]
    private static let bracket = [UInt8(ascii: ">")]
    private static let fence = Array("```".utf8)

    init(_ text: String) { bytes = text.utf8.filter { $0 != 0 } }

    mutating func read(codes: Bool, links: Bool = true) {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "<") where links && readReference(): break
            case UInt8(ascii: "`") where codes && readCode(): break
            case UInt8(ascii: "&"): readEntity()
            case let byte:
                text.append(byte)
                index += 1
            }
        }
    }

    private mutating func readEntity() {
        let entity = Self.entities.first { bytes[index...].starts(with: $0.name) }
        text.append(entity?.sign ?? bytes[index])
        index += entity?.name.count ?? 1
    }

    /// A link with its label, or a person, a channel or everybody.
    private mutating func readReference() -> Bool {
        guard let end = end(Self.bracket, from: index), end - index <= Self.longestLink else {
            return false
        }
        let inside = bytes[(index + 1)..<end]
        // None has a bracket inside. So that of many brackets not each is read up to the same end.
        guard !inside.contains(UInt8(ascii: "<")) else { return false }
        let bar = inside.firstIndex(of: UInt8(ascii: "|")) ?? inside.endIndex
        let (target, label) = (Self.plain(inside[..<bar]), Self.plain(inside[bar...].dropFirst()))
        let name = String(target.dropFirst())
        switch target.first {
        case "@", "#": put(.text(target.prefix(1) + (label.isEmpty ? name : label)))
        case "!": put(.text(label.isEmpty ? "@" + name : label))
        // Many senders do not write a bracket as an entity.
        case _ where URLScheme.of(target) == nil: return false
        default: put(.reference(label: label, target: target))
        }
        index = end + 1
        return true
    }

    private mutating func readCode() -> Bool {
        let isBlock = bytes[index...].starts(with: Self.fence)
        let mark = isBlock ? Self.fence : [UInt8(ascii: "`")]
        let start = index + mark.count
        guard let end = end(mark, from: start), end > start,
            isBlock || !bytes[start..<end].contains(UInt8(ascii: "\n"))
        else { return false }
        put(.code(Self.plain(bytes[start..<end]), isBlock: isBlock))
        index = end + mark.count
        return true
    }

    private mutating func put(_ part: SlackText.Piece) {
        text.append(0)
        parts.append(part)
    }

    private static func plain(_ part: ArraySlice<UInt8>) -> String {
        var reader = SlackReader(String(decoding: part, as: UTF8.self))
        reader.read(codes: false, links: false)
        return String(decoding: reader.text, as: UTF8.self)
    }

    /// Where these bytes are next; nil if they are nowhere.
    private mutating func end(_ mark: [UInt8], from start: Int) -> Int? {
        var place = ends[mark] ?? -1
        if place < start {
            place = start
            while place < bytes.count, !bytes[place...].starts(with: mark) { place += 1 }
            ends[mark] = place
        }
        return place < bytes.count ? place : nil
    }
}

/// Finds what is bold, slanted or struck out.
private struct SlackStyles {
    private let bytes: [UInt8]
    private var parts: [SlackText.Piece].SubSequence
    private(set) var pieces: [SlackText.Piece] = []
    private var text: [UInt8] = []
    /// The styles that have begun, and where each of them ends.
    private var open: [(sign: UInt8, end: Int)] = []
    /// Before these places no style of the sign ends.
    private var barren: [UInt8: Int] = [:]

    private static let marks: [UInt8: StaticString] = [
        UInt8(ascii: "*"): "**", UInt8(ascii: "_"): "_", UInt8(ascii: "~"): "~~",
    ]

    init(_ reader: SlackReader) { (bytes, parts) = (reader.text, reader.parts[...]) }

    mutating func read(isFormatted: Bool) {
        for (index, byte) in bytes.enumerated() {
            if byte == 0, let part = parts.popFirst() {
                put(part)
            } else if isFormatted, let mark = Self.marks[byte], turns(byte, at: index) {
                put(.mark(mark))
            } else {
                text.append(byte)
            }
        }
        endText()
    }

    private mutating func put(_ piece: SlackText.Piece) {
        // What is only text needs no piece of its own.
        if case .text(let more) = piece {
            text += Array(more.utf8)
        } else {
            endText()
            pieces.append(piece)
        }
    }

    private mutating func endText() {
        guard !text.isEmpty else { return }
        pieces.append(.text(String(decoding: text, as: UTF8.self)))
        text = []
    }

    /// Whether a style begins or ends here.
    private mutating func turns(_ sign: UInt8, at index: Int) -> Bool {
        if let last = open.last, last.end == index {
            open.removeLast()
            return true
        }
        guard begins(at: index), let end = end(of: sign, from: index) else { return false }
        open.append((sign, end))
        return true
    }

    /// It ends in its line, and before any that has begun earlier.
    private mutating func end(of sign: UInt8, from index: Int) -> Int? {
        guard !open.contains(where: { $0.sign == sign }) else { return nil }
        let limit = open.last?.end ?? bytes.count
        var place = max(index + 2, barren[sign] ?? 0)
        while place < limit, bytes[place] != UInt8(ascii: "\n") {
            if bytes[place] == sign, ends(at: place) { return place }
            place += 1
        }
        barren[sign] = place
        return nil
    }

    private func begins(at place: Int) -> Bool {
        (place == 0 || !bytes[place - 1].isOfWord) && place + 1 < bytes.count
            && !bytes[place + 1].isSpace
    }

    private func ends(at place: Int) -> Bool {
        !bytes[place - 1].isSpace && (place + 1 == bytes.count || !bytes[place + 1].isOfWord)
    }
}
