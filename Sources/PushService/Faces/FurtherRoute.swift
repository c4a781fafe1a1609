package import HTTP

/// What a public face serves beside pushes: whoever wires a server gives it to the handler.
package struct FurtherRoute {
    /// As those of `HTTPRouter`.
    let pattern: String
    let methods: [HTTPMethod]
    /// For logs.
    let label: StaticString
    let serve: (HTTPExchange, _ path: Range<Int>) -> Void

    /// `path` is that of the exchange, without what base-url begins with.
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
