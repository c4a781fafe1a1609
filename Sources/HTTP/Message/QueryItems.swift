/// The items `name=value` of a query. Of two with one name the first counts.
package struct QueryItems {
    private let items: [Substring]

    package init(_ query: String) { items = query.split(separator: "&") }

    /// Nil where there is none, or none that is text.
    package subscript(name: String) -> String? {
        guard let item = items.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let value = item.dropFirst(name.count + 1)
        return PercentEncoding.decoded(value).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
