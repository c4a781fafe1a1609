import CNghttp2

/// The memory of one nghttp2 session: its frame buffer in a slot, everything else on the heap.
///
/// nghttp2 holds an unretained pointer to it; the session that owns it outlives nghttp2's session.
final class HTTP2Memory {
    private let frameBuffers: HTTP2FrameBuffers
    // It is unchecked for speed: each of nghttp2's many frees reads it, but never while it is
    // changed.
    @exclusivity(unchecked) private var slot: HTTP2FrameBuffers.Slot?

    init(_ frameBuffers: HTTP2FrameBuffers) { self.frameBuffers = frameBuffers }

    /// Call it only while the session has nothing to send, because the buffer is unused then.
    func discardFrameBuffer() {
        if let slot { frameBuffers.discard(slot) }
    }

    func hooks() -> nghttp2_mem {
        nghttp2_mem(
            mem_user_data: Unmanaged.passUnretained(self).toOpaque(), malloc: cnghttp2_malloc,
            free: { block, context in
                HTTP2Memory.withMemory(context) { $0.free(block) }
            },
            calloc: cnghttp2_calloc,
            realloc: { block, size, context in
                HTTP2Memory.withMemory(context) { $0.resize(block, size) }
            })
    }

    private func free(_ block: UnsafeMutableRawPointer?) {
        guard block != nil, block == slot?.address, let slot else { return cnghttp2_free(block) }
        self.slot = nil
        frameBuffers.giveBack(slot)
    }

    /// A header block of many frames needs more buffers; those are short-lived and on the heap.
    private func resize(
        _ block: UnsafeMutableRawPointer?, _ size: Int
    ) -> UnsafeMutableRawPointer? {
        if block == nil, size == HTTP2FrameBuffers.blockBytes, slot == nil {
            slot = frameBuffers.take()
            return slot?.address
        }
        guard let slot, slot.address == block else { return cnghttp2_realloc(block, size) }
        guard size > HTTP2FrameBuffers.slotBytes else { return block }
        guard let larger = cnghttp2_realloc(nil, size) else { return nil }
        larger.copyMemory(from: slot.address, byteCount: HTTP2FrameBuffers.slotBytes)
        free(block)
        return larger
    }

    @inline(__always)
    private static func withMemory<Result>(
        _ context: UnsafeMutableRawPointer?, _ body: (HTTP2Memory) -> Result
    ) -> Result {
        guard let context else { preconditionFailure("the hook has no context") }
        return Unmanaged<HTTP2Memory>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
    }
}
