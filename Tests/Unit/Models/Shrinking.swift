/// Removes from a story what is not needed to break a promise.
package enum Shrinking {
    /// Tries to leave out ever shorter parts, until no single event can be left out.
    package static func shrink<Event>(
        _ story: [Event], while isBroken: ([Event]) -> Bool
    ) -> [Event] {
        var kept = story
        var size = max(1, kept.count / 2)
        while true {
            var isShorter = false
            var start = 0
            while start < kept.count {
                var tried = kept
                tried.removeSubrange(start..<min(start + size, kept.count))
                if isBroken(tried) {
                    kept = tried
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return kept }
            size = max(1, size / 2)
        }
    }
}
