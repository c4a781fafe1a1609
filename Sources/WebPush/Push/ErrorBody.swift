import Base

/// The JSON that says what was wrong with a request, in the form of Mozilla's service.
package enum ErrorBody {
    /// `number` is one of those in our list of errors; nil where there is none.
    package static func json(
        status: Int, number: Int?, reason: String, message: String, moreInfo: String
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("code", status)
            writer.member("errno", json: number.map(String.init) ?? "null")
            writer.member("error", reason)
            writer.member("message", message)
            writer.member("more_info", moreInfo)
        }
        return writer.bytes
    }
}
