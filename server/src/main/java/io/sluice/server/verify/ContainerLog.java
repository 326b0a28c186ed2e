package io.sluice.server.verify;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.bookie.embedded.StoredJournal;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.StateReplay;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.StoredChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One container's state as its next owner would rebuild it, bytes and riders left out. */
final class ContainerLog {
    private final String where;
    private final StoredJournal journal;
    private final Report report;
    private final StateReplay replay = new StateReplay();
    private long bytes;

    ContainerLog(int container, StoredJournal journal, Report report) {
        this.where = "container " + container;
        this.journal = journal;
        this.report = report;
    }

    /** Null if it cannot be rebuilt, which is a finding then. */
    @Nullable
    ContainerState replay(StoredChain chain) throws IOException {
        for (StoredChain.Ledger each : chain.ledgers()) {
            if (!replay(each)) {
                return null;
            }
        }
        return replay.state();
    }

    /** Bytes of frames that were read. */
    long bytes() {
        return bytes;
    }

    private boolean replay(StoredChain.Ledger each) throws IOException {
        String place = where + ", ledger " + each.number() + " (BookKeeper's " + each.id() + ")";
        List<ByteBuffer> frames = journal.frames(each.id());
        if (frames == null) {
            report.finding(place, "is in the chain and not in the metadata of ledgers");
            return false;
        }
        long lacks = journal.lacks(each.id());
        if (lacks >= 0) {
            report.finding(place, "entry " + lacks + " is not there, though the ledger was ended behind it");
            return false;
        }
        replay.begin(each.number());
        int entry = 0;
        try {
            for (; entry < frames.size(); entry++) {
                ByteBuf frame = Unpooled.copiedBuffer(frames.get(entry));
                bytes += frame.readableBytes();
                replay.frame(frame);
            }
            return true;
        } catch (WalException | IllegalStateException broken) {
            report.finding(place + ", entry " + entry, String.valueOf(broken.getMessage()));
            return false;
        }
    }
}
