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

/**
 * One batch on its way into a coordinator log. The thread that brought it waits until it has an offset; that it is durable
 * is told later.
 */
final class SequencedAppend implements LoopTask, AppendReply {
    private enum Turn {
        WAITING,
        TAKEN,
        WITHDRAWN
    }

    private final CoordinatorLog owner;
    private final PartitionLog log;
    private final ByteBuffer entry;
    private final int records;
    private final CoordinatorLog.Completion completion;
    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.WAITING);
    private final LoopAnswer<Long> end = new LoopAnswer<>();
    private boolean sequenced;

    SequencedAppend(
            CoordinatorLog owner,
            PartitionLog log,
            ByteBuffer entry,
            int records,
            CoordinatorLog.Completion completion) {
        this.owner = owner;
        this.log = log;
        this.entry = entry;
        this.records = records;
        this.completion = completion;
    }

    /**
     * Appends, and waits until the batch is sequenced. When this throws, the batch was not and will not be appended;
     * should the loop have died in the middle of it, the next append's offset gives it away.
     *
     * @return the offset after its last record
     */
    long sequence(Duration atMost) {
        log.container().executeAppend(this);
        try {
            return end.await(atMost);
        } catch (CoordinatorLogException.TimedOut | CoordinatorLogException.Interrupted e) {
            if (turn.compareAndSet(Turn.WAITING, Turn.WITHDRAWN)) {
                throw e;
            }
            return end.await(atMost);
        }
    }

    /** Appends without waiting. {@code refused} is told if the batch was not and will not be appended. */
    void submit(Consumer<CoordinatorLogException> refused) {
        end.onFailure(refused);
        log.container().executeAppend(this);
    }

    @Override
    public void run() {
        if (!turn.compareAndSet(Turn.WAITING, Turn.TAKEN)) {
            return;
        }
        try {
            owner.checkLoaded(log);
            log.append(Unpooled.wrappedBuffer(entry.duplicate()), this, base -> {
                sequenced = true;
                end.answer(base + records);
            });
        } catch (RuntimeException e) {
            end.fail(e);
        }
    }

    @Override
    public void abandoned(StoreFailure why) {
        end.fail(why);
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        completion.durable(lastOffset + 1);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        end.fail(new CoordinatorLogException("an append without a producer cannot be a duplicate"));
    }

    @Override
    public void rejected(AppendRejection why) {
        end.fail(new CoordinatorLogException.Rejected(why));
    }

    @Override
    public void failed(StoreFailure why) {
        if (sequenced) {
            completion.lost(why);
        } else {
            end.fail(why);
        }
    }
}
