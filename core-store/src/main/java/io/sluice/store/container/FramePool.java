package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Frames with their buffers, used again and again: memory that was touched before costs no page faults. Loop only. */
final class FramePool {
    private final ArrayDeque<Frame> idle = new ArrayDeque<>();
    private int frameBytes;
    private int mostIdle;
    private final Queue<Frame> answered;
    private final Runnable wake;

    FramePool(ContainerConfig.Log config, Queue<Frame> answered, Runnable wake) {
        this.frameBytes = config.frameBytes();
        this.mostIdle = config.maxInFlightFrames() + 1;
        this.answered = answered;
        this.wake = wake;
    }

    /** Frames have the new size from now on; those of another are given up as they come back. */
    void resize(ContainerConfig.Log config) {
        close();
        frameBytes = config.frameBytes();
        mostIdle = config.maxInFlightFrames() + 1;
    }

    Frame take(long now, @Nullable LogWriteEvent recorded) {
        Frame frame = idle.pollLast();
        if (frame == null) {
            ByteBuf bytes = UnpooledByteBufAllocator.DEFAULT.directBuffer(frameBytes, frameBytes);
            frame = new Frame(bytes, answered, wake);
        }
        frame.reset(now, recorded);
        return frame;
    }

    void give(Frame frame) {
        // a log that writes to more bookies than it waits for may still be sending from this buffer
        boolean shared = frame.bytes.refCnt() > 1;
        if (shared || idle.size() >= mostIdle || frame.bytes.capacity() != frameBytes) {
            frame.bytes.release();
        } else {
            idle.addLast(frame);
        }
    }

    void close() {
        idle.forEach(frame -> frame.bytes.release());
        idle.clear();
    }
}
