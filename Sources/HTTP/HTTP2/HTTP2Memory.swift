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

/// The frame buffers of all HTTP/2 sessions of one event loop. The system gets their pages back
/// while a session has nothing to send.
///
/// An nghttp2 session keeps one block of 16 KB for the frame that it is sending, for as long as it
/// exists. Each such block has a slot of whole pages here. Only its loop uses it.
package final class HTTP2FrameBuffers {
    /// Slots that are mapped together.
    final class Chunk {
        static let slotCount = 64

        private let pages: UnsafeMutableRawPointer
        private var freeSlots = UInt64.max

        init?() {
            guard let pages = cnghttp2_map(Self.slotCount * slotBytes) else { return nil }
            self.pages = pages
        }

        deinit { cnghttp2_unmap(pages, Self.slotCount * slotBytes) }

        var isFull: Bool { freeSlots == 0 }
        var isUnused: Bool { freeSlots == .max }

        func take() -> UnsafeMutableRawPointer {
            let index = freeSlots.trailingZeroBitCount
            precondition(index < Self.slotCount, "the chunk has no free slot")
            freeSlots &= freeSlots - 1
            return pages + index * slotBytes
        }

        func giveBack(_ slot: UnsafeMutableRawPointer) {
            let (index, rest) = (slot - pages).quotientAndRemainder(dividingBy: slotBytes)
            precondition(
                rest == 0 && (0..<Self.slotCount).contains(index) && freeSlots & 1 << index == 0,
                "the slot is not in use")
            freeSlots |= 1 << index
        }
    }

    /// A slot in use. The session that took it gives it back exactly once.
    struct Slot {
        let address: UnsafeMutableRawPointer
        fileprivate let chunk: Chunk
    }

    /// The size that nghttp2 asks for: a frame of 16,384 bytes, its header and the length of its
    /// padding.
    static let blockBytes = 16_384 + HTTP2FrameHeader.byteCount + 1
    /// The next multiple of a page.
    static let slotBytes = 5 * 4096

    package private(set) var slotsInUse = 0
    private(set) var chunkCount = 0
    /// The chunks with a free slot.
    private var available: [Chunk] = []

    package init() {}

    func take() -> Slot? {
        if available.isEmpty {
            guard let chunk = Chunk() else { return nil }
            chunkCount += 1
            available.append(chunk)
        }
        let chunk = available[available.count - 1]
        let slot = Slot(address: chunk.take(), chunk: chunk)
        if chunk.isFull { available.removeLast() }
        slotsInUse += 1
        return slot
    }

    func giveBack(_ slot: Slot) {
        discard(slot)
        let wasFull = slot.chunk.isFull
        slot.chunk.giveBack(slot.address)
        slotsInUse -= 1
        if wasFull { available.append(slot.chunk) }
        // One unused chunk is kept for the next connections.
        if slot.chunk.isUnused, available.count > 1 {
            available.removeAll { $0 === slot.chunk }
            chunkCount -= 1
        }
    }

    /// Gives the pages of a slot back to the system. The slot stays taken; its content is lost.
    func discard(_ slot: Slot) { cnghttp2_discard(slot.address, Self.slotBytes) }
}
