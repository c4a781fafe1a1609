import Base

/// The JSON body of an error, in the form of Mozilla's service.
package enum ErrorBody {
    /// `number` is from our list of errors; nil if there is none.
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
