/// Where registrations are kept over restarts.
package protocol ClientStore: AnyObject {
    /// All of them, once at the start.
    func clients() throws -> [ClientRecord]
    /// Inserts it, or replaces the one of the same key. It is on the disk when this returns.
    func save(_ client: ClientRecord) throws
    func remove(_ key: ClientKey) throws
}
