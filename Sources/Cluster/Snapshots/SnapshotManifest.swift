import Base

/// What says that a snapshot is complete, and where its pieces are.
///
///     bw.snapshot.<name>.<piece>
///     bw.snapshot.<name>.manifest
struct SnapshotManifest: Equatable {
    /// Of this attempt to write it.
    let name: String
    /// The last entry of the log that is in it.
    let number: Int64
    let size: Int
    let digest: Digest
    let pieces: Int

    static let stream = "BW_SNAPSHOT"
    static let all = "bw.snapshot.*.manifest"
    static let everything = "bw.snapshot.>"

    static func subject(_ name: String) -> String { "bw.snapshot.\(name).manifest" }

    static func subject(_ name: String, piece: Int) -> String { "bw.snapshot.\(name).\(piece)" }

    /// All of one.
    static func pieces(_ name: String) -> String { "bw.snapshot.\(name).*" }

    /// The names of which there are pieces without a manifest.
    static func incomplete(_ subjects: [String]) -> Set<String> {
        let parts = subjects.map { $0.split(separator: ".") }.filter { $0.count == 4 }
        let names = Set(parts.map { String($0[2]) })
        return names.subtracting(parts.filter { $0[3] == "manifest" }.map { String($0[2]) })
    }

    static var settings: StreamSettings {
        var stream = StreamSettings(name: Self.stream, subjects: [everything])
        stream.messagesPerSubject = 1
        return stream
    }

    init(name: String, number: Int64, size: Int, digest: Digest, pieces: Int) {
        self.name = name
        self.number = number
        self.size = size
        self.digest = digest
        self.pieces = pieces
    }

    /// Nil unless it is one.
    init?(_ message: StreamMessage) {
        guard let root = try? JSONDocument(message.message.body).root,
            let name = root["name"]?.text, message.subject == Self.subject(name),
            let number = root["number"]?.integer, let size = root["size"]?.integer, size >= 0,
            let pieces = root["pieces"]?.integer, pieces >= 0,
            let digest = root["sha256"]?.text.flatMap({ Base64.decode(Array($0.utf8)) }),
            let digest = Digest(digest.span)
        else { return nil }
        self.init(name: name, number: number, size: Int(size), digest: digest, pieces: Int(pieces))
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.member("number", Int(number))
            writer.member("size", size)
            writer.member("pieces", pieces)
            writer.member("sha256", Base64.text(digest.bytes.span))
        }
        return writer.bytes
    }
}
