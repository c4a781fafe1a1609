import FuzzTargets
import Glibc

/// libFuzzer calls this with every input; `BELLWIRE_FUZZ_TARGET` says which parser reads it.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzTestOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { preconditionFailure("BELLWIRE_FUZZ_TARGET names no target") }
    target.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

private let target = getenv("BELLWIRE_FUZZ_TARGET").flatMap {
    FuzzTarget(rawValue: String(cString: $0))
}
