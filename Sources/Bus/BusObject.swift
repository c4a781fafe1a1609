/// An object exported at a path. All calls come on the thread of the loop.
package protocol BusObject: AnyObject {
    var interfaces: [BusInterface] { get }
    /// Arguments have the types that `interfaces` declares.
    func called(_ call: BusCall)
    /// Nil if there is no such property.
    func property(_ name: String, of interface: String) -> BusValue?
}

extension BusObject {
    package func property(_ name: String, of interface: String) -> BusValue? { nil }
}
