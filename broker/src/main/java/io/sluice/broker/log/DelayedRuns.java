package io.sluice.broker.log;

import io.sluice.broker.entry.DelayRun;
import java.util.List;

/**
 * State of a partition's index of the entries that are to be delivered later: where its {@linkplain DelayRun runs} lie in the log, and what
 * they cover. As of what is sequenced. Loop only.
 *
 * <pre>
 *   entries   . d . d d . │ . . . d . │ d . . d
 *             │   in runs, or due     │ indexedTo; the first of those behind it is not before unindexedFrom
 *             since                                    delayedEnd ┘
 * </pre>
 */
public interface DelayedRuns {
    /**
     * A run.
     *
     * @param base its offset in the log
     * @param entries how many entries it names
     * @param first earliest time of them, milliseconds since the epoch
     * @param last latest time of them
     */
    record Run(long base, int entries, long first, long last) {}

    /** Entries below it were written before there was an index. */
    long since();

    long indexedTo();

    /** Where to begin reading for what stands in no run; -1 if there is nothing. */
    long unindexedFrom();

    /** One past the last entry with a time; 0 if there was none. */
    long delayedEnd();

    /** By base, in use; a view. */
    List<Run> runs();
}
