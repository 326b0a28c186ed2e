package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.tier.Tier;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Long-term storage of one term, which takes its turns on the container's loop: at once after a post, else every millisecond. */
final class TierTurns {
    private static final long PAUSE_MICROS = 1_000;

    private @Nullable Tier tier;
    private long turnedAt;

    void begin(Tier opened) {
        tier = opened;
    }

    /**
     * @param now microseconds since the epoch
     * @param posted what came from other threads since the last turn
     * @return how much was done
     */
    int turn(long now, int posted) {
        if (tier == null || (posted == 0 && now - turnedAt < PAUSE_MICROS)) {
            return 0;
        }
        turnedAt = now;
        return tier.doWork(now / 1_000);
    }

    /** See {@link Tier#append}. */
    void append(long segment, long position, ByteBuf bytes, Durable done) {
        Objects.requireNonNull(tier, "the term has not begun").append(segment, position, bytes, done);
    }

    /** See {@link Tier#resize}. */
    void resize(long room, long readAhead) {
        if (tier != null) {
            tier.resize(room, readAhead);
        }
    }

    void close() {
        if (tier != null) {
            tier.close();
        }
    }
}
