package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/**
 * Topics that clients of both protocols wrote, read by clients of both from long-term storage: messages in chunks, as they were written and of a
 * compacted topic, and compacted topics of both protocols.
 */
final class TieredOfBoth {
    /** Bytes that are read at least: messages in chunks have more, of which some may wait in the log. */
    private static final long LEAST_BYTES = 8L << 20;

    private final SluiceServer server;
    private final SixReaders chunks;
    private final SixReaders compactedChunks;
    private final CompactedOfBoth view;
    private final CompactedOfBoth log;
    private final SixReaders compacted;

    private TieredOfBoth(SluiceServer server, Path folder) throws Exception {
        this.server = server;
        chunks = ChunksForKafka.write(server, folder);
        compactedChunks = ChunksForKafka.writeCompacted(server, folder);
        view = CompactedOfBoth.withView(server);
        log = CompactedOfBoth.inItsLog(server);
        compacted = log.readers(folder);
    }

    static TieredOfBoth write(SluiceServer server, Path folder) throws Exception {
        return new TieredOfBoth(server, folder);
    }

    /** After enough has been written and read since to have it in no log and no cache. */
    void check() throws Exception {
        double before = tierReads();
        chunks.checkKafka("tier");
        assertThat(tierReads() - before).isGreaterThan(LEAST_BYTES);
        before = tierReads();
        compactedChunks.checkKafka("tier");
        assertThat(tierReads() - before).isGreaterThan(LEAST_BYTES / 4);
        view.check();
        log.check();
        compacted.check("tier");
    }

    private double tierReads() throws Exception {
        return server.total("sluice_tier_read_bytes_total");
    }
}
