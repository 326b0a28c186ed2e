package io.sluice.broker.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/** Receive buffers of one connection: as large as usual, but no larger than there is memory for. */
public final class MeasuredReads implements RecvByteBufAllocator {
    private final RecvByteBufAllocator usual;
    private final ConnectionMemory memory;

    public MeasuredReads(RecvByteBufAllocator usual, ConnectionMemory memory) {
        this.usual = usual;
        this.memory = memory;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new Measured((ExtendedHandle) usual.newHandle(), memory);
    }

    private static final class Measured extends RecvByteBufAllocator.DelegatingHandle
            implements RecvByteBufAllocator.ExtendedHandle {
        private final ExtendedHandle usual;
        private final ConnectionMemory memory;

        Measured(ExtendedHandle usual, ConnectionMemory memory) {
            super(usual);
            this.usual = usual;
            this.memory = memory;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.ioBuffer(memory.mostToRead(usual.guess()));
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return usual.continueReading(maybeMoreData);
        }
    }
}
