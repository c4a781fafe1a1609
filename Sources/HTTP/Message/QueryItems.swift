import Base

/// The items `name=value` of a query. The first of several with the same name counts.
package struct QueryItems {
    private let items: [Substring]

    package init(_ query: String) { items = query.split(separator: "&") }

    /// Nil if it is missing or not valid text.
    package subscript(name: String) -> String? {
        guard let item = items.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let value = item.dropFirst(name.count + 1)
        return PercentEncoding.decoded(value.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
