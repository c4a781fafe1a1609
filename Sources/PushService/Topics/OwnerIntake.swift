import Base
package import Topics

/// Takes what owners write on our own page, on one loop. Whoever calls it has found out that the topic
/// is the owner's.
package struct OwnerIntake {
    private let intake: TopicIntake

    init(_ intake: TopicIntake) { self.intake = intake }

    /// `fields` say how the message looks and when it is due. Its text stays as it is, whatever it
    /// looks like. `topic`: its registration.
    package func publish(
        _ fields: NtfyFields, _ text: String, to topic: UInt32,
        then: @escaping (Result<TopicMessage, NtfyRefusal>) -> Void
    ) {
        intake.load(topic) { [intake] found in
            do throws(NtfyRefusal) {
                let entry = try found.get()
                // Without an upload, a long text stays a text.
                var publication = try Publication(
                    fields, Array(text.utf8),
                    Publication.Circumstances(
                        now: intake.now, mayUpload: false, isRaw: true, zone: intake.zones.rule))
                publication.isByOwner = true
                intake.submit(publication, with: nil, to: entry, then: then)
            } catch { then(.failure(error)) }
        }
    }
}
