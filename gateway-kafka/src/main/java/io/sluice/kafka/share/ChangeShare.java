package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;

/**
 * Sets where a share group begins in a partition, or takes the group out of it. Done when that is durable; what members have in hand is
 * forgotten.
 *
 * @param offset of the first record that is not done with; {@link #DELETE} deletes
 */
record ChangeShare(String group, long offset, SharePartitions here) implements PartitionStep<Boolean> {
    /** In place of an offset. */
    static final long DELETE = -1;

    static final byte CODE = 67;

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

    /** Nothing is there to be deleted. */
    @Override
    public Boolean ofUnmade() {
        return true;
    }

    /** False where the partition can have no group more. */
    @Override
    public void ask(PartitionLog found, Answer<Boolean> answer) {
        PartitionLog log = deletes() ? found : found.createIfMissing();
        here.forget(group, log);
        if (deletes()) {
            log.subscriptions().deleteShare(group, answer.onceDurable(true));
            return;
        }
        ShareCursor cursor = log.subscriptions().findShare(group);
        if (cursor != null) {
            cursor.seek(offset, answer.onceDurable(true));
        } else if (log.subscriptions().whyNotShare(group) != null) {
            answer.complete(false);
        } else {
            log.subscriptions().createShare(group, offset, answer.onceDurable(true));
        }
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, group);
        out.writeLong(offset);
    }

    static ChangeShare read(ByteBuf in, SharePartitions here) {
        return new ChangeShare(Packed.readString(in), in.readLong(), here);
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {
        out.writeBoolean(result);
    }

    @Override
    public Boolean readResult(ByteBuf in) {
        return in.readBoolean();
    }
}
