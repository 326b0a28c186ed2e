package io.sluice.pulsar.dispatch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which consumer of a Key_Shared subscription owns a key hash. */
sealed interface KeyRouting permits ConsistentHashes, StickyHashes {
    /** Null, or why the consumer cannot join. */
    @Nullable
    String add(Consumer consumer);

    void remove(Consumer consumer);

    /** Hash ranges that the consumer owns, in order. */
    List<HashRange> rangesOf(Consumer consumer);

    @Nullable
    Consumer select(int hash);
}
