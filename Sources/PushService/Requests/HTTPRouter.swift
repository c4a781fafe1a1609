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
        let pattern: PathPattern
        let methods: [(method: HTTPMethod, action: Action)]
    }

    private var routes: [Route] = []

    package init() {}

    /// If several patterns match, the first one counts.
    package mutating func add(_ pattern: String, _ methods: [(HTTPMethod, Action)]) {
        routes.append(
            Route(
                pattern: PathPattern(pattern),
                methods: methods.map { (method: $0.0, action: $0.1) }))
    }

    package func find(_ method: HTTPMethod, _ path: Span<UInt8>) -> Finding {
        for route in routes {
            guard let (first, second) = route.pattern.stars(in: path) else { continue }
            for entry in route.methods where entry.method == method {
                return .found(Match(action: entry.action, first: first, second: second))
            }
            return .otherMethod(allowed: route.methods.map(\.method))
        }
        return .unknown
    }
}

/// A pattern in parts: what stands before each star, and behind the last one.
private struct PathPattern: Sendable {
    private let parts: [[UInt8]]
    /// Its last star stands for all that follows.
    private let takesRest: Bool

    init(_ pattern: String) {
        takesRest = pattern.hasSuffix("**")
        parts = pattern.utf8.dropLast(takesRest ? 1 : 0)
            .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map { Array($0) }
    }

    /// What its stars stand for in this path; nil if it does not match.
    func stars(in path: Span<UInt8>) -> (Range<Int>, Range<Int>)? {
        var stars = (0..<0, 0..<0)
        var position = 0
        for (index, part) in parts.enumerated() {
            let end = position + part.count
            guard end <= path.count, path.extracting(position..<end).elementsEqual(part.span)
            else { return nil }
            position = end
            let starsLeft = parts.count - 1 - index
            guard starsLeft > 0 else { break }
            let takesAll = takesRest && starsLeft == 1
            let slash = takesAll ? nil : path.firstIndex(of: UInt8(ascii: "/"), from: position)
            let star = position..<(slash ?? path.count)
            guard takesAll || !star.isEmpty else { return nil }
            if index == 0 { stars.0 = star } else { stars.1 = star }
            position = star.upperBound
        }
        return position == path.count ? stars : nil
    }
}
