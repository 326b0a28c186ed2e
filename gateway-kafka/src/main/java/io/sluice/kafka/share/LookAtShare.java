package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;

/** Asks how far a share group is in a partition. */
record LookAtShare(String group) implements PartitionStep<LookAtShare.Found> {
    static final byte CODE = 68;

    /**
     * State of the group in the partition.
     *
     * @param start every record below is done with; -1 if the group has not been there
     * @param doneAbove offsets that are done with at or above
     * @param end of the partition: what consumers may read
     */
    record Found(long start, long doneAbove, long end, int leaderEpoch) {}

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Found ofUnmade() {
        return new Found(-1, 0, 0, 0);
    }

    @Override
    public void ask(PartitionLog log, Answer<Found> answer) {
        ShareCursor cursor = log.subscriptions().findShare(group);
        if (cursor == null) {
            answer.complete(new Found(-1, 0, log.durableEnd(), log.leaderEpoch()));
            return;
        }
        long start = Math.max(cursor.ackedBelow(), log.startOffset());
        long above = start >= log.durableEnd() ? 0 : cursor.countAcked(start, log.durableEnd() - 1);
        answer.complete(new Found(start, above, log.durableEnd(), log.leaderEpoch()));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, group);
    }

    static LookAtShare read(ByteBuf in) {
        return new LookAtShare(Packed.readString(in));
    }

    @Override
    public void writeResult(Found result, ByteBuf out) {
        Packed.writeSigned(out, result.start());
        Packed.writeUnsigned(out, result.doneAbove());
        Packed.writeUnsigned(out, result.end());
        out.writeInt(result.leaderEpoch());
    }

    @Override
    public Found readResult(ByteBuf in) {
        return new Found(Packed.readSigned(in), Packed.readUnsigned(in), Packed.readUnsigned(in), in.readInt());
    }
}
