/// What is exported at a path. All calls come on the thread of the loop.
package protocol BusObject: AnyObject {
    var interfaces: [BusInterface] { get }
    /// One of the methods, with arguments of its types.
    func called(_ call: BusCall)
    /// Nil if there is none, as `interfaces` says.
    func property(_ name: String, of interface: String) -> BusValue?
}

extension BusObject {
    package func property(_ name: String, of interface: String) -> BusValue? { nil }
}
