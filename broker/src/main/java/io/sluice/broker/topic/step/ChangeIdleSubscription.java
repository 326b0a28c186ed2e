package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.step.ChangeIdleSubscription.Outcome;
import io.sluice.store.segment.Answer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sets the position of a durable subscription of a partition, which is made if there is none, or deletes it; one with consumers is left as it
 * is. Done when that is durable.
 *
 * @param offset of the first message that is not acknowledged; one beyond the end is the end. {@link #DELETE} deletes
 */
public record ChangeIdleSubscription(String subscription, long offset) implements PartitionStep<Outcome> {
    /** In place of an offset. */
    public static final long DELETE = -1;

    static final byte CODE = 7;

    /** Results; their numbers are sent to other nodes. */
    public enum Outcome {
        DONE,
        /** There is nothing to delete. */
        MISSING,
        /** It has consumers. */
        IN_USE,
        /** The partition can have no subscription more, or none of this name. */
        REFUSED
    }

    @Override
    public byte code() {
        return CODE;
    }

    private boolean deletes() {
        return offset == DELETE;
    }

    @Override
    public boolean makesPartition() {
        return !deletes();
    }

    @Override
    public Outcome ofUnmade() {
        return Outcome.MISSING;
    }

    @Override
    public void ask(PartitionLog found, Answer<Outcome> answer) {
        PartitionLog log = deletes() ? found : found.createIfMissing();
        Cursor cursor = log.subscriptions().find(subscription);
        if (cursor != null && cursor.isRead()) {
            answer.complete(Outcome.IN_USE);
        } else if (!deletes()) {
            set(log, cursor, answer);
        } else if (cursor == null) {
            answer.complete(Outcome.MISSING);
        } else {
            log.subscriptions().delete(subscription, answer.onceDurable(Outcome.DONE));
        }
    }

    private void set(PartitionLog log, @Nullable Cursor cursor, Answer<Outcome> answer) {
        long at = Math.min(offset, log.readableEnd(Isolation.COMMITTED));
        if (cursor == null) {
            if (log.subscriptions().whyNot(subscription, Map.of()) != null) {
                answer.complete(Outcome.REFUSED);
            } else {
                log.subscriptions().create(subscription, at, Map.of(), answer.onceDurable(Outcome.DONE));
            }
        } else if (cursor.ackedBelow() == at) {
            // it is there already: what is acknowledged beyond stays so
            log.container().barrier(answer.onceDurable(Outcome.DONE));
        } else {
            cursor.seek(at, answer.onceDurable(Outcome.DONE));
        }
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, subscription);
        out.writeLong(offset);
    }

    static ChangeIdleSubscription read(ByteBuf in) {
        return new ChangeIdleSubscription(Packed.readString(in), in.readLong());
    }

    @Override
    public void writeResult(Outcome result, ByteBuf out) {
        out.writeByte(result.ordinal());
    }

    @Override
    public Outcome readResult(ByteBuf in) {
        return Outcome.values()[in.readByte()];
    }
}
