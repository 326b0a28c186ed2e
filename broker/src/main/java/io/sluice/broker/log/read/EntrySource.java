package io.sluice.broker.log.read;

import io.sluice.broker.log.state.Extent;

/** Entries one behind the other, by positions that rise: the log's own, or what compaction has left beside it. Loop only. */
interface EntrySource {
    /** The run of bytes with the one at {@code position}, or behind a gap the next one. */
    Extent at(long position);

    /** End of what may be read now. */
    long limit();

    /** Rises when positions come to mean other bytes: then a read begins anew. */
    int layout();
}
