import FuzzTargets
import Glibc

/// libFuzzer calls this with every input; `BELLWIRE_FUZZ_TARGET` says which parser reads it.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzTestOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { preconditionFailure("BELLWIRE_FUZZ_TARGET names no target") }
    target.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Without a name it lists all targets.
@_cdecl("LLVMFuzzerInitialize")
func fuzzInitialize(_ count: OpaquePointer?, _ arguments: OpaquePointer?) -> CInt {
    guard getenv("BELLWIRE_FUZZ_TARGET") == nil else { return 0 }
    for target in FuzzTarget.all { puts(target.name) }
    fflush(nil)
    _exit(0)
}

private let target = getenv("BELLWIRE_FUZZ_TARGET").flatMap { name in
    FuzzTarget.all.first { $0.name == String(cString: name) }
}
