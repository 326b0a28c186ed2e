package io.sluice.broker.log.open;

import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a partition must hold: what was written to it, which of it is durable, and how its transactions ended. */
final class PartitionSimModel {
    /** This producer has an id for each transaction. */
    static final int SINGLE = 2;

    static final int PRODUCERS = 3;

    final List<Written> written = new ArrayList<>();
    /** Of each producer, the first offset of its open transaction, or -1; as of what is sequenced. */
    private final long[] transaction = new long[PRODUCERS];

    private long singles = ProducerIds.single(0);

    /** An entry; its transaction, if it was in one, is over once the marker at {@link #marker} is durable. */
    static final class Written {
        final long base;
        final long last;
        final byte[] bytes;
        final int producer;
        long marker = Long.MAX_VALUE;
        boolean aborted;
        boolean durable;

        Written(long base, long last, byte[] bytes, int producer) {
            this.base = base;
            this.last = last;
            this.bytes = bytes;
            this.producer = producer;
        }
    }

    PartitionSimModel() {
        Arrays.fill(transaction, -1);
    }

    Written last() {
        return written.getLast();
    }

    int size() {
        return written.size();
    }

    /** The id that the producer's entries have. */
    long idOf(int producer) {
        return producer == SINGLE ? singles : producer;
    }

    boolean hasTransaction(int producer) {
        return transaction[producer] >= 0;
    }

    void beginTransaction(int producer, long base) {
        transaction[producer] = base;
    }

    /** By a marker at this offset, which is to be sent with {@link #idOf} before. */
    void endTransaction(int producer, long marker, boolean commit) {
        for (Written w : written) {
            if (w.producer == producer && w.base >= transaction[producer]) {
                w.marker = marker;
                w.aborted = !commit;
            }
        }
        transaction[producer] = -1;
    }

    /** The next transaction of a producer that has an id for each has another. */
    void nextId(int producer) {
        singles += producer == SINGLE ? 1 : 0;
    }

    void durable(long base) {
        written.stream().filter(w -> w.base == base).forEach(w -> w.durable = true);
    }

    /** What is not durable is gone; what is, stays. */
    void restart() {
        written.removeIf(w -> !w.durable);
        for (Written w : written) {
            boolean markerThere = written.stream().anyMatch(m -> m.base == w.marker);
            w.marker = markerThere ? w.marker : Long.MAX_VALUE;
            w.aborted &= markerThere;
        }
        for (int p = 0; p < PRODUCERS; p++) {
            int producer = p;
            transaction[p] = written.stream()
                    .filter(w -> w.producer == producer && w.marker == Long.MAX_VALUE)
                    .mapToLong(w -> w.base)
                    .min()
                    .orElse(-1);
        }
        singles = written.stream()
                .filter(w -> w.producer == SINGLE && w.marker == Long.MAX_VALUE)
                .mapToLong(w -> EntryHeader.transactionProducerId(Unpooled.wrappedBuffer(w.bytes), 0))
                .findFirst()
                .orElse(singles + 1);
    }

    /** As the model has it: the first durable entry of a transaction whose marker is not durable. */
    long committedEnd() {
        return written.stream()
                .filter(w -> w.producer >= 0 && !isDurable(w.marker))
                .mapToLong(w -> w.base)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    long durableEnd() {
        return written.stream()
                .filter(w -> w.durable)
                .mapToLong(w -> w.last + 1)
                .max()
                .orElse(0);
    }

    private boolean isDurable(long offset) {
        return written.stream().anyMatch(w -> w.base == offset && w.durable);
    }
}
