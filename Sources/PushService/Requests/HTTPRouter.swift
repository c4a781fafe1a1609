import Base
package import HTTP

/// Finds the action for a path and a method.
///
/// In a pattern, `*` stands for one non-empty segment, and `**` at the end for all that follows,
/// which may be empty. All else is literal.
package struct HTTPRouter<Action: Sendable>: Sendable {
    package struct Match: Sendable {
        package let action: Action
        /// What the stars stand for, as ranges of the path.
        package let first: Range<Int>
        package let second: Range<Int>
    }

    package enum Finding: Sendable {
        case found(Match)
        /// The path is known, but not with this method.
        case otherMethod(allowed: [HTTPMethod])
        case unknown
    }

    private struct Route: Sendable {
        let pattern: [UInt8]
        let methods: [(method: HTTPMethod, action: Action)]
    }

    private var routes: [Route] = []

    package init() {}

    /// If several patterns match, the first one counts.
    package mutating func add(_ pattern: String, _ methods: [(HTTPMethod, Action)]) {
        routes.append(
            Route(
                pattern: Array(pattern.utf8), methods: methods.map { (method: $0.0, action: $0.1) })
        )
    }

    package func find(_ method: HTTPMethod, _ path: Span<UInt8>) -> Finding {
        for route in routes {
            guard let (first, second) = path.stars(of: route.pattern) else { continue }
            for entry in route.methods where entry.method == method {
                return .found(Match(action: entry.action, first: first, second: second))
            }
            return .otherMethod(allowed: route.methods.map(\.method))
        }
        return .unknown
    }
}

extension Span<UInt8> {
    /// What the stars of a pattern stand for in this path; nil if it does not match.
    func stars(of pattern: [UInt8]) -> (Range<Int>, Range<Int>)? {
        let star = UInt8(ascii: "*")
        var stars = (0..<0, 0..<0)
        var found = 0
        var position = 0
        var index = 0
        while index < pattern.count {
            guard pattern[index] == star else {
                guard position < count, self[position] == pattern[index] else { return nil }
                index += 1
                position += 1
                continue
            }
            let takesAll = index + 1 < pattern.count && pattern[index + 1] == star
            let end = takesAll ? count : firstIndex(of: .slash, from: position)
            let range = position..<(end ?? count)
            guard takesAll || !range.isEmpty else { return nil }
            if found == 0 { stars.0 = range } else { stars.1 = range }
            found += 1
            position = range.upperBound
            index += takesAll ? 2 : 1
        }
        return position == count ? stars : nil
    }
}

extension UInt8 {
    fileprivate static let slash = UInt8(ascii: "/")
}
