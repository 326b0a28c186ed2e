package io.sluice.store.container;

import java.util.Map;

/** Told, on the loop, how a container fares. Each at most once, {@code lost} before {@code serving} before {@code stopped}. */
public interface ContainerListener {
    /** Recovered; requests may come. */
    void serving(Container container);

    /**
     * Reports acknowledged bytes that the log has lost; called before {@link #serving}. Losses without a trace are not reported.
     *
     * @param bytes at the ends of segments, by segment, above 0
     */
    default void lost(Container container, Map<Long, Long> bytes) {}

    /**
     * The term is over: the log was lost to another owner, or failed, or an invariant broke, or it was closed. Everybody
     * who waited has been told. Reopening takes a new {@link Container}, once this one {@link Container#finished has finished}.
     *
     * @param why one line
     */
    void stopped(Container container, String why);
}
