package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.ClusterMarker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells a partition's listener of the markers that its subscriptions pass over, also of some that were passed before it came: consumers may be
 * there first. Loop only.
 */
final class MarkerTap {
    private static final int MOST_EARLY = 64;
    private static final int MOST_EARLY_BYTES = 4 << 10;

    private final List<ByteBuf> early = new ArrayList<>();
    private @Nullable MarkerListener listener;

    void listen(MarkerListener to) {
        listener = to;
        early.forEach(to::passed);
        early.clear();
    }

    /** The control batch at {@code at} is for no consumer. */
    void passed(ByteBuf entries, int at) {
        if (!ClusterMarker.is(entries, at)) {
            return;
        }
        ByteBuf content = ClusterMarker.content(entries, at);
        if (listener != null) {
            listener.passed(content);
        } else if (content.readableBytes() <= MOST_EARLY_BYTES) {
            remember(content);
        }
    }

    /** Drops every other one where there are too many, so that the rest lies all along the way. */
    private void remember(ByteBuf content) {
        if (early.size() == MOST_EARLY) {
            for (int i = MOST_EARLY - 1; i > 0; i -= 2) {
                early.remove(i);
            }
        }
        early.add(Unpooled.copiedBuffer(content));
    }
}
