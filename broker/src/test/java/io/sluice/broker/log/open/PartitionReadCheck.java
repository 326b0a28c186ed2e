package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.log.open.PartitionSimModel.Written;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Compares what a read gives with the model, as a client of this isolation sees it. */
final class PartitionReadCheck {
    private final PartitionSimModel model;

    PartitionReadCheck(PartitionSimModel model) {
        this.model = model;
    }

    /** Gives where to go on. */
    long compare(PartitionLog log, long offset, ByteBuf got, long next, Isolation isolation) {
        boolean committed = isolation == Isolation.COMMITTED;
        long end = committed ? Math.min(model.durableEnd(), model.committedEnd()) : model.durableEnd();
        Reader reader = new Reader(committed ? log.transactions().abortedIn(offset, next) : List.of());
        int i = 0;
        while (model.written.get(i).last < offset) {
            i++;
        }
        for (int at = 0; at < got.writerIndex(); i++) {
            Written w = model.written.get(i);
            expect("an entry", w.base, EntryHeader.baseOffset(got, at));
            if (w.base >= end) {
                throw new AssertionError("an entry at " + w.base + " is shown, the end is " + end);
            }
            byte[] bytes = ByteBufUtil.getBytes(got, at, w.bytes.length);
            System.arraycopy(bytes, 0, w.bytes, 0, 16); // offset and epoch are the log's
            if (!Arrays.equals(bytes, w.bytes)) {
                throw new AssertionError("the entry at " + w.base + " is not what was written");
            }
            if (reader.leavesOut(got, at) != (committed && w.aborted)) {
                throw new AssertionError("an entry at " + w.base + " of a transaction that was "
                        + (w.aborted ? "aborted is shown" : "not aborted is left out"));
            }
            at += w.bytes.length;
        }
        expect("the next offset of a read", model.written.get(i - 1).last + 1, next);
        return next;
    }

    /** Leaves out what was aborted, as Kafka's consumers do. */
    private static final class Reader {
        private final List<Aborted> toCome;
        private final Set<Long> producers = new HashSet<>();

        Reader(List<Aborted> aborted) {
            toCome = new ArrayList<>(aborted);
        }

        boolean leavesOut(ByteBuf b, int at) {
            long producer = EntryHeader.transactionProducerId(b, at);
            toCome.removeIf(
                    each -> each.firstOffset() <= EntryHeader.lastOffset(b, at) && producers.add(each.producerId()));
            if (EntryHeader.isControl(b, at)) {
                producers.remove(producer);
                return false;
            }
            return EntryHeader.isTransactional(b, at) && producers.contains(producer);
        }
    }

    static void expect(String what, long expected, long got) {
        if (expected != got) {
            throw new AssertionError(what + " is " + got + ", not " + expected);
        }
    }
}
