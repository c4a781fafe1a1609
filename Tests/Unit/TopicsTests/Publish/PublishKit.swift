import Base

@testable import Topics

/// A request to publish, as a test writes it.
struct WrittenRequest {
    var topic = "builds"
    var sequence = ""
    var headers: [(name: String, value: String)] = []
    var query = ""
    var body: [UInt8] = []
    var mayUpload = true
    var isRaw = false

    static let now: Int64 = 1_800_000_000

    init(
        _ body: String = "", _ headers: [(name: String, value: String)] = [], query: String = ""
    ) {
        (self.body, self.headers, self.query) = (Array(body.utf8), headers, query)
    }

    func fields() throws -> NtfyFields {
        var fields = NtfyFields()
        for header in headers {
            fields.record(Array(header.name.utf8).span, Array(header.value.utf8).span)
        }
        fields.record(query: Array(query.utf8).span)
        if let topic = TopicName(topic) { fields.record(topic: topic, sequence: sequence) }
        return fields
    }

    func publication() throws -> Publication {
        try Publication(try fields(), body, circumstances)
    }

    /// There are two zones, this one and one an hour east of it.
    private var circumstances: Publication.Circumstances {
        Publication.Circumstances(now: Self.now, mayUpload: mayUpload, isRaw: isRaw) { name in
            switch name {
            case "": .utc
            case "Etc/East": TimeZoneRule(first: 3_600)
            default: nil
            }
        }
    }

    /// As a request to `/`.
    func publicationOfJSON() throws -> Publication {
        var fields = try fields()
        let json = try fields.record(json: body)
        return try Publication(fields, json.text, circumstances)
    }
}

extension NtfyFields {
    init(header name: String, _ value: [UInt8]) {
        self.init()
        record(Array(name.utf8).span, value.span)
    }

    init(query: String) {
        self.init()
        record(query: Array(query.utf8).span)
    }
}
