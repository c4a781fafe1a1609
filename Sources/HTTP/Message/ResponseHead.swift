/// An answer without its body: status and fields, in no version's form yet.
package struct ResponseHead: Sendable {
    package var status: Int
    /// Without those that speak of the connection or the length of the body.
    package var fields: ResponseFields

    package init(status: Int) { self.init(status: status, fields: ResponseFields()) }

    init(status: Int, fields: consuming ResponseFields) {
        self.status = status
        self.fields = fields
    }
}
