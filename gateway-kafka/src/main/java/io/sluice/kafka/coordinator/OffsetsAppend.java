package io.sluice.kafka.coordinator;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/**
 * One batch on its way into an offsets partition. The thread that brought it waits until it has an offset; that it is
 * durable is told to the {@link Outcome}.
 */
final class OffsetsAppend implements LoopTask, AppendReply {
    /** What became of the batch; called once, on the container's loop, and only after it had an offset. */
    interface Outcome {
        void durable(long lastOffset);

        /** Sequenced, but the container's term ended: it may or may not be in the log. */
        void lost(StoreFailure why);

        /** For batches nobody waits for. */
        Outcome IGNORED = new Outcome() {
            @Override
            public void durable(long lastOffset) {}

            @Override
            public void lost(StoreFailure why) {}
        };
    }

    private enum Turn {
        WAITING,
        TAKEN,
        WITHDRAWN
    }

    private final PartitionLog log;
    private final MemoryRecords batch;
    private final int records;
    private final Outcome outcome;
    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.WAITING);
    private final LoopAnswer<Long> base = new LoopAnswer<>();
    private boolean sequenced;

    OffsetsAppend(PartitionLog log, MemoryRecords batch, Outcome outcome) {
        this.log = log;
        this.batch = batch;
        this.records = countOf(batch);
        this.outcome = outcome;
    }

    /** The log takes one batch at a time. */
    private static int countOf(MemoryRecords records) {
        Iterator<MutableRecordBatch> batches = records.batches().iterator();
        MutableRecordBatch batch = batches.next();
        if (batches.hasNext()) {
            throw new KafkaException("an append of more than one batch");
        }
        return (int) (batch.lastOffset() - batch.baseOffset() + 1);
    }

    int records() {
        return records;
    }

    /**
     * Appends, and waits until the batch is sequenced. When this throws, the batch was not and will not be appended;
     * should the loop have died in the middle of it, the next append's offset gives it away.
     *
     * @return offset of the first record
     */
    long sequence(Duration atMost) {
        log.container().executeAppend(this);
        try {
            return base.await(atMost);
        } catch (TimeoutException | InterruptException e) {
            if (turn.compareAndSet(Turn.WAITING, Turn.WITHDRAWN)) {
                throw e;
            }
            return base.await(atMost);
        }
    }

    @Override
    public void run() {
        if (!turn.compareAndSet(Turn.WAITING, Turn.TAKEN)) {
            return;
        }
        try {
            log.append(Unpooled.wrappedBuffer(batch.buffer().duplicate()), this, this::sequencedAt);
        } catch (RuntimeException e) {
            base.fail(e);
        }
    }

    private void sequencedAt(long baseOffset) {
        sequenced = true;
        base.answer(baseOffset);
    }

    @Override
    public void abandoned(StoreFailure why) {
        base.fail(CoordinatorErrors.of(why));
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        outcome.durable(lastOffset);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        base.fail(new KafkaException("an append without a producer cannot be a duplicate"));
    }

    @Override
    public void rejected(AppendRejection why) {
        base.fail(new KafkaException(why.message()));
    }

    @Override
    public void failed(StoreFailure why) {
        if (sequenced) {
            outcome.lost(why);
        } else {
            base.fail(CoordinatorErrors.of(why));
        }
    }
}
