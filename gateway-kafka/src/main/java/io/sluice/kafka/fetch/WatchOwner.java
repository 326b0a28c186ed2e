package io.sluice.kafka.fetch;

import org.jspecify.annotations.Nullable;

/** The session or the fetch that watches belong to: which fetch is to be told now, and whether watches are still wanted. Any thread. */
abstract class WatchOwner {
    private volatile @Nullable FetchUnderWay fetch;
    private volatile long fetchNumber;
    private volatile boolean closed;

    /** From now on {@code begun} is told, until {@link #end}. */
    final void begin(FetchUnderWay begun) {
        fetchNumber = fetchNumber + 1;
        fetch = begun;
    }

    final void end() {
        fetch = null;
    }

    /** The fetch under way. */
    final @Nullable FetchUnderWay fetch() {
        return fetch;
    }

    /** Tells the fetches apart; from 1 on. */
    final long fetchNumber() {
        return fetchNumber;
    }

    final boolean isClosed() {
        return closed;
    }

    /** Lets no more watches begin. */
    final void setClosed() {
        closed = true;
    }
}
