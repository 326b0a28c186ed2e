package io.sluice.conversion;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Port: schemas of topics that the registry has an id for.
 *
 * <pre>
 *  conversion ──known──► in memory? ── no, or it lacks a number ──read──► metadata
 * </pre>
 *
 * A change of a topic's schemas or settings, by whichever node, leads to another object soon. Any thread.
 */
public interface PrefixSource {
    /** There is no registry. */
    PrefixSource NONE = new PrefixSource() {
        @Override
        public TopicPrefixes known(UUID topic) {
            return TopicPrefixes.NONE;
        }

        @Override
        public TopicPrefixes read(UUID topic) {
            return TopicPrefixes.NONE;
        }
    };

    /** Prefixes in memory; null if they have to be read. Does not block. */
    @Nullable
    TopicPrefixes known(UUID topic);

    /**
     * Prefixes as they are stored now, the same object as before if they are the same. Blocks.
     *
     * @throws EarlierEntries.UnavailableException the metadata does not answer
     */
    TopicPrefixes read(UUID topic);
}
