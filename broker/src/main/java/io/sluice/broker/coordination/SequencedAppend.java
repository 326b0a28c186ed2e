package io.sluice.broker.coordination;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One batch on its way into a coordinator log. The thread that brought it waits until it has an offset; that it is durable
 * is told later.
 */
abstract class SequencedAppend implements LoopTask, AppendReply {
    private enum Turn {
        WAITING,
        TAKEN,
        WITHDRAWN
    }

    private final PartitionLog log;
    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.WAITING);
    private final LoopAnswer<Long> result = new LoopAnswer<>();
    private boolean sequenced;
    private long answer;

    SequencedAppend(PartitionLog log) {
        this.log = log;
    }

    /** Loop. The batch as it is to be appended now, or null for none. */
    abstract @Nullable ByteBuffer batch();

    /** Loop. The batch is in the log at {@code base}; what this returns is what {@link #sequence} returns. */
    abstract long sequencedAt(long base);

    /** Loop, once, only after {@link #sequencedAt}. */
    abstract void durable(long lastOffset);

    /** As {@link #durable}, but the term ended first: the batch may or may not be in the log. */
    abstract void lost(StoreFailure why);

    /**
     * Appends, and waits until the batch is sequenced. When this throws, the batch was not and will not be appended;
     * should the loop have died in the middle of it, the next append's offset gives it away.
     *
     * @return what {@link #sequencedAt} returned; -1 if there was no batch
     */
    final long sequence(Duration atMost) {
        log.container().executeAppend(this);
        try {
            return result.await(atMost);
        } catch (CoordinatorLogException.TimedOut | CoordinatorLogException.Interrupted e) {
            if (turn.compareAndSet(Turn.WAITING, Turn.WITHDRAWN)) {
                throw e;
            }
            return result.await(atMost);
        }
    }

    /** Appends without waiting. {@code refused} is told if the batch was not and will not be appended. */
    final void submit(Consumer<CoordinatorLogException> refused) {
        result.onFailure(refused);
        log.container().executeAppend(this);
    }

    @Override
    public final void run() {
        if (!turn.compareAndSet(Turn.WAITING, Turn.TAKEN)) {
            return;
        }
        try {
            ByteBuffer batch = batch();
            if (batch == null) {
                result.answer(-1L);
            } else {
                log.append(Unpooled.wrappedBuffer(batch.duplicate()), this, base -> {
                    sequenced = true;
                    answer = sequencedAt(base);
                });
                if (sequenced) {
                    result.answer(answer);
                }
            }
        } catch (RuntimeException e) {
            result.fail(e);
        }
    }

    @Override
    public final void abandoned(StoreFailure why) {
        result.fail(why);
    }

    @Override
    public final void appended(long baseOffset, long lastOffset) {
        durable(lastOffset);
    }

    @Override
    public final void duplicate(long baseOffset, long lastOffset) {
        result.fail(new CoordinatorLogException("an append without a producer cannot be a duplicate"));
    }

    @Override
    public final void rejected(AppendRejection why) {
        result.fail(new CoordinatorLogException.Rejected(why));
    }

    @Override
    public final void failed(StoreFailure why) {
        if (sequenced) {
            lost(why);
        } else {
            result.fail(why);
        }
    }
}
