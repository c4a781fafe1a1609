package import HTTP

/// A route besides those for pushes, which whoever builds the server gives to the handler.
package struct FurtherRoute {
    /// A pattern as in `HTTPRouter`.
    let pattern: String
    let methods: [HTTPMethod]
    let label: StaticString
    let serve: (HTTPExchange, _ path: Range<Int>) -> Void

    /// `path` is the path of the request without that of base-url.
    package init(
        _ pattern: String, _ methods: [HTTPMethod], label: StaticString,
        serve: @escaping (HTTPExchange, _ path: Range<Int>) -> Void
    ) {
        self.pattern = pattern
        self.methods = methods
        self.label = label
        self.serve = serve
    }
}
