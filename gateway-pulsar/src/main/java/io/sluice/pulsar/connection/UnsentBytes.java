package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/** Bytes waiting in a channel that is not writable, and whether its client reads. Event loop only. */
final class UnsentBytes {
    private final Channel channel;
    /** Identity of the first message that waits; compared only. */
    private int first;

    private long progress;

    UnsentBytes(Channel channel) {
        this.channel = channel;
    }

    /** Whether the channel is not writable and not a byte has left it since this was asked last. */
    boolean standsStill() {
        @Nullable ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        if (buffer == null || channel.isWritable()) {
            first = 0;
            return false;
        }
        int firstBefore = first;
        long progressBefore = progress;
        first = System.identityHashCode(buffer.current());
        progress = buffer.currentProgress();
        return first == firstBefore && progress == progressBefore;
    }
}
