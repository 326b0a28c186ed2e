package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentRiderFactory;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.CheckpointCodec;
import io.sluice.store.state.LogOperation;
import io.sluice.store.state.RecordAssembler;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Replays a log as a recovery does and compares, at the head of every ledger, what replay gives with the checkpoint that
 * the live container wrote there: they are the same bytes.
 */
public final class StoredState {
    private final SegmentRiderFactory riders;
    private int compared;

    public StoredState(SegmentRiderFactory riders) {
        this.riders = riders;
    }

    /** How many checkpoints were compared. */
    public int compared() {
        return compared;
    }

    /**
     * @param container handed to riders, not used
     * @param cacheBytes as large as the container's, or replay finds no room
     */
    public void check(Wal wal, SegmentContainer container, long cacheBytes) throws WalException {
        LogSpace space = new LogSpace();
        try (StreamingCache cache = new StreamingCache(new CacheConfig(cacheBytes))) {
            ReadIndex index = new ReadIndex(cache, ReadConfig.DEFAULT);
            Segments segments = new Segments(
                    (info, attributes, snapshot) -> riders.create(container, info, attributes, snapshot), index, space);
            LogReplay replay = new LogReplay(segments, space);
            for (long ledger : wal.recovered()) {
                byte[] live = checkpoint(wal, ledger);
                if (live.length > 0 && continues(segments, live)) {
                    ByteBuf replayed = Unpooled.buffer();
                    segments.checkpoint(replayed);
                    assertThat(ByteBufUtil.getBytes(replayed)).isEqualTo(live);
                    compared++;
                }
                replay.replay(wal, ledger);
            }
            segments.close(new StoreFailure.NotOwner(0, "checked"));
        }
    }

    private static boolean continues(Segments segments, byte[] checkpoint) throws WalException {
        ByteBuf snapshot = Unpooled.wrappedBuffer(checkpoint);
        return segments.state().term() == CheckpointCodec.term(snapshot)
                && segments.state().sequence() == CheckpointCodec.sequence(snapshot);
    }

    /** The checkpoint a ledger begins with; empty if it was cut off. */
    private static byte[] checkpoint(Wal wal, long ledger) throws WalException {
        List<byte[]> first = new ArrayList<>();
        wal.replay(ledger, new RecordAssembler(operation -> {
            if (operation instanceof LogOperation.Checkpoint checkpoint) {
                first.add(ByteBufUtil.getBytes(checkpoint.snapshot()));
            }
        }));
        return first.isEmpty() ? new byte[0] : Objects.requireNonNull(first.getFirst());
    }
}
