extension Duration {
    package var wholeMilliseconds: Int64 { Int64(attoseconds / 1_000_000_000_000_000) }

    package var wholeNanoseconds: Int64 { Int64(attoseconds / 1_000_000_000) }
}
