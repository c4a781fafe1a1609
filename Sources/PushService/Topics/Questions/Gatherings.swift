/// Who waits for the same thing, for each of several things. Many may wait, and each may leave at any
/// time.
package struct Gatherings<Key: Hashable, Member: AnyObject> {
    private var members: [Key: [ObjectIdentifier: Member]] = [:]

    package init() {}

    package var isEmpty: Bool { members.isEmpty }
    package var keys: [Key] { Array(members.keys) }
    package var all: [Member] { members.values.flatMap(\.values) }

    package func has(_ key: Key) -> Bool { members[key] != nil }
    package func members(of key: Key) -> [Member] { members[key].map { Array($0.values) } ?? [] }

    /// True for the first one.
    package mutating func add(_ member: Member, to key: Key) -> Bool {
        members[key, default: [:]][ObjectIdentifier(member)] = member
        return members[key]?.count == 1
    }

    /// True for the last one. Does nothing for a member that has left.
    package mutating func remove(_ member: Member, from key: Key) -> Bool {
        guard members[key]?.removeValue(forKey: ObjectIdentifier(member)) != nil,
            members[key]?.isEmpty == true
        else { return false }
        members[key] = nil
        return true
    }
}
