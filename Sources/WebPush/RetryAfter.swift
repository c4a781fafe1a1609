/// After how many seconds a refused client may try again; every answer takes it from here.
package enum RetryAfter {
    /// The servers of a cluster choose who leads, which takes five to nine seconds. Those who were
    /// refused at the same time shall not come back at the same time.
    package static var settled: UInt32 { .random(in: settling) }
    package static let settling: ClosedRange<UInt32> = 5...10
    /// The client sent too much within one second.
    package static let nextSecond: UInt32 = 1
    /// A program of the owner waits for a store that does not respond.
    package static let shortPause: UInt32 = 10
    /// There is no room: others have to fetch their messages or disconnect first.
    package static let whenFull: UInt32 = 60
    /// The server has a problem, or clocks differ.
    package static let trouble: UInt32 = 120
    /// Somebody has to do something first, such as to install a new version of the server.
    package static let update: UInt32 = 3_600
}
