import Base
import Notifications

enum EngineOutput {
    /// The length of the updates as JSON.
    static func length(of updates: [Update]) -> Int {
        var writer = JSONWriter()
        for update in updates { update.write(to: &writer) }
        return writer.count
    }
}
