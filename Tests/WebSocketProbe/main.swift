// Reads frame streams and prints what the decoder makes of them, for comparison with other decoders.
//
// Input, repeated: role ("s" or "c"), the length of a piece (4 bytes, big endian), the length of the
// bytes (the same), the bytes. Output: one JSON object a line.

import Glibc

var probe = Probe()
while let report = probe.next() {
    print(report)
}
fflush(nil)
