package io.sluice.broker.coordination;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** One batch on its way into a coordinator log. That it has an offset is the answer; that it is durable is told later. */
final class SequencedAppend implements AppendReply {
    private final Answer<Long> end;
    private final AppendCompletion completion;
    private boolean sequenced;

    private SequencedAppend(Answer<Long> end, AppendCompletion completion) {
        this.end = end;
        this.completion = completion;
    }

    /**
     * Appends, in its turn. If the answer is a failure, or is given up, the batch was not and will not be appended; should the loop have
     * died in the middle of it, the next append's offset gives it away.
     *
     * @param check run in its turn before anything is appended; refuses by an exception
     * @return the offset after its last record
     */
    static Answer<Long> start(
            PartitionLog log,
            Consumer<PartitionLog> check,
            ByteBuffer entry,
            int records,
            AppendCompletion completion) {
        return log.container().askAppend(end -> {
            check.accept(log);
            SequencedAppend append = new SequencedAppend(end, completion);
            log.append(Unpooled.wrappedBuffer(entry.duplicate()), append, base -> {
                append.sequenced = true;
                end.complete(base + records);
            });
        });
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        completion.durable(lastOffset + 1);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        end.completeExceptionally(new CoordinatorLogException("an append without a producer cannot be a duplicate"));
    }

    @Override
    public void rejected(AppendRejection why) {
        end.completeExceptionally(new CoordinatorLogException.Rejected(why));
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
