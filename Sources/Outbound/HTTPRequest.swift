import Base

package struct HTTPRequest: Sendable, Confidential {
    package var method: String
    package var url: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// A file of certificates to trust instead of the system's.
    package var certificateFile: String?
    /// The socket to connect to, whatever host the URL names.
    package var unixSocket: String?
    /// The rest of a longer answer is skipped.
    package var answerLimit = 65_536

    package init(
        method: String, url: String, fields: [(name: String, value: String)] = [],
        body: [UInt8] = [], certificateFile: String? = nil, unixSocket: String? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.certificateFile = certificateFile
        self.unixSocket = unixSocket
    }
}

package struct HTTPResponse: Sendable, Confidential {
    package let status: Int
    /// Names in lower case.
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
