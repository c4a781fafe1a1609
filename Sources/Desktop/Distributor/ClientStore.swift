/// Stores registrations.
package protocol ClientStore: AnyObject {
    /// All registrations, once at the start.
    func clients() throws -> [ClientRecord]
    /// Inserts it, or replaces the one with the same key. Returns after it is on the disk.
    func save(_ client: ClientRecord) throws
    func remove(_ key: ClientKey) throws
}
