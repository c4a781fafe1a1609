/// An answer without its body: status and fields, independent of the HTTP version.
package struct ResponseHead: Sendable {
    package var status: Int
    /// Without the fields about the connection or the length of the body.
    package var fields: ResponseFields

    package init(status: Int) { self.init(status: status, fields: ResponseFields()) }

    init(status: Int, fields: consuming ResponseFields) {
        self.status = status
        self.fields = fields
    }
}
