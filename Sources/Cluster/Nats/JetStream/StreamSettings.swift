import Base

/// A stream as JetStream is asked for it. libnats 3.4 has no fields for some of this, so the request
/// is written here.
struct StreamSettings {
    var name: String
    var subjects: [String]
    /// Of these, each subject keeps only the newest.
    var messagesPerSubject: Int?
    var bytes: Int?
    /// Repetitions of a message's name are recognised for so many seconds.
    var duplicates = 120
    /// Where the servers tell of each message, with its body.
    var toldAt: (source: String, destination: String)?
    /// Several messages may be stored all or none.
    var takesBatches = false
    /// Messages may say how long they are kept.
    var limitsLife = false

    init(name: String, subjects: [String]) {
        self.name = name
        self.subjects = subjects
    }

    /// A full stream refuses; dropping the oldest would break promises.
    func request(replicas: Int) -> [UInt8] {
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
            writer.member("duplicate_window", duplicates * 1_000_000_000)
            writer.member("allow_direct", true)
            if limitsLife { writer.member("allow_msg_ttl", true) }
            if takesBatches { writer.member("allow_atomic", true) }
            if let (source, destination) = toldAt {
                writer.name("republish")
                writer.object { writer in
                    writer.member("src", source)
                    writer.member("dest", destination)
                }
            }
        }
        return writer.bytes
    }

    /// Whether a stream that is there already, as JetStream describes it, is of use as this one.
    func isMet(by found: JSONNode) -> Bool {
        guard found["subjects"]?.texts == subjects, found["storage"]?.text == "file",
            found["discard"]?.text == "new", found["retention"]?.text == "limits",
            found["allow_direct"]?.bool == true,
            found["max_msgs_per_subject"]?.integer == Int64(messagesPerSubject ?? -1),
            !limitsLife || found["allow_msg_ttl"]?.bool == true,
            !takesBatches || found["allow_atomic"]?.bool == true
        else { return false }
        guard let (source, destination) = toldAt else { return true }
        return found["republish"]?["src"]?.text == source
            && found["republish"]?["dest"]?.text == destination
            && found["republish"]?["headers_only"]?.bool != true
    }
}
