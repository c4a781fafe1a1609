import Base
import Notifications

enum EngineOutput {
    /// How many bytes of JSON the updates are.
    static func length(of updates: [Update]) -> Int {
        var writer = JSONWriter()
        for update in updates { update.write(to: &writer) }
        return writer.count
    }
}
