import Base
package import Crypto

/// An entry of a log, and a digest by which it is told from every other one.
package struct EntryMark: Equatable, Sendable {
    package let number: Int64
    /// In hexadecimal digits.
    package let digest: String

    init(number: Int64, digest: String) { (self.number, self.digest) = (number, digest) }

    package init(_ entry: CommitEntry, at number: Int64) throws(OpenSSLError) {
        self.number = number
        digest = try entry.digest
    }

    /// Nil unless `body` has written it.
    package init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(body).root, let number = root["entry"]?.integer,
            let digest = root["sha256"]?.text
        else { return nil }
        (self.number, self.digest) = (number, digest)
    }

    package var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("entry", Int(number))
            writer.member("sha256", digest)
        }
        return writer.bytes
    }
}

extension CommitEntry {
    /// Of all that it says.
    fileprivate var digest: String {
        get throws(OpenSSLError) {
            var head: [UInt8] = []
            head.append(bigEndian: name)
            head.append(bigEndian: UInt64(bitPattern: position))
            head.append(bigEndian: UInt64(bitPattern: sequence))
            head.append(bigEndian: UInt64(schema))
            head.append(bigEndian: UInt64(changes.count))
            var hash = try SHA256()
            try hash.begin()
            try hash.update(head.span)
            try hash.update(changes.span)
            try hash.update(news.span)
            return String(decoding: Digest(try hash.finish()).hexadecimal, as: UTF8.self)
        }
    }
}
