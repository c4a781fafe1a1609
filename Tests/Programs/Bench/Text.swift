extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    func rightAligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }
}

extension Double {
    /// The number with a fixed number of digits after the point, at most 9.
    func text(digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (magnitude * scale).rounded()
        let sign = self < 0 && scaled > 0 ? "-" : ""
        let whole = String(Int(scaled / scale))
        guard digits > 0 else { return sign + whole }
        let rest = String(Int(scaled) % Int(scale))
        return sign + whole + "." + String(repeating: "0", count: digits - rest.count) + rest
    }
}
