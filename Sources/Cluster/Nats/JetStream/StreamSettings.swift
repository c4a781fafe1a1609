import Base

/// A stream as JetStream is asked for it. libnats 3.4 has no fields for some of this, so the request
/// is written here.
package struct StreamSettings: Sendable {
    package var name: String
    package var subjects: [String]
    package var replicas: Int
    /// Of these, each subject keeps only the newest.
    package var messagesPerSubject: Int?
    package var bytes: Int?
    /// In seconds. Zero means for ever.
    package var age: Int = 0
    /// Repetitions of a message's name are recognised for so many seconds.
    package var duplicates: Int = 120
    /// Where the servers tell of each message, without its body.
    package var toldAt: (source: String, destination: String)?
    /// Several messages may be stored all or none.
    package var takesBatches = false

    package init(name: String, subjects: [String], replicas: Int) {
        self.name = name
        self.subjects = subjects
        self.replicas = replicas
    }

    /// A full stream refuses; dropping the oldest would break promises.
    var request: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.name("subjects")
            writer.array { writer in for subject in subjects { writer.string(subject) } }
            writer.member("retention", "limits")
            writer.member("storage", "file")
            writer.member("discard", "new")
            writer.member("num_replicas", replicas)
            writer.member("max_msgs_per_subject", messagesPerSubject ?? -1)
            writer.member("max_bytes", bytes ?? -1)
            writer.member("max_age", age * 1_000_000_000)
            writer.member("duplicate_window", duplicates * 1_000_000_000)
            writer.member("allow_direct", true)
            writer.member("allow_msg_ttl", true)
            if takesBatches { writer.member("allow_atomic", true) }
            if let (source, destination) = toldAt {
                writer.name("republish")
                writer.object { writer in
                    writer.member("src", source)
                    writer.member("dest", destination)
                    writer.member("headers_only", true)
                }
            }
        }
        return writer.bytes
    }
}
