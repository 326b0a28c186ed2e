package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.SubscriptionReader;
import io.sluice.broker.topic.step.LookAtSubscription.Position;
import io.sluice.store.segment.Answer;
import java.util.ArrayList;
import java.util.List;

/** Asks where a durable subscription of a partition is, and who reads it. */
public record LookAtSubscription(String subscription) implements PartitionStep<Position> {
    static final byte CODE = 6;

    /** Consumers that are named of those there are. */
    private static final int MOST_READERS = 1_000;

    /**
     * Position of a subscription in a partition.
     *
     * @param ackedBelow every offset below is acknowledged; -1 if the partition has no such subscription
     * @param ackedAbove messages acknowledged one by one at or above {@code ackedBelow}
     * @param ranges that those are in
     * @param transactions open ones that have acknowledged something
     * @param readers connected consumers, the first 1,000
     */
    public record Position(
            long ackedBelow, long ackedAbove, int ranges, int transactions, List<SubscriptionReader> readers) {
        static final Position NONE = new Position(-1, 0, 0, 0, List.of());

        public Position {
            readers = List.copyOf(readers);
        }

        public boolean exists() {
            return ackedBelow >= 0;
        }
    }

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Position ofUnmade() {
        return Position.NONE;
    }

    @Override
    public void ask(PartitionLog log, Answer<Position> answer) {
        Cursor cursor = log.subscriptions().find(subscription);
        if (cursor == null) {
            answer.complete(Position.NONE);
            return;
        }
        List<SubscriptionReader> readers = cursor.readers();
        answer.complete(new Position(
                cursor.ackedBelow(),
                cursor.ackedAbove(),
                cursor.ackedRanges(),
                cursor.pendingTransactions(),
                readers.subList(0, Math.min(readers.size(), MOST_READERS))));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, subscription);
    }

    static LookAtSubscription read(ByteBuf in) {
        return new LookAtSubscription(Packed.readString(in));
    }

    @Override
    public void writeResult(Position result, ByteBuf out) {
        Packed.writeSigned(out, result.ackedBelow());
        Packed.writeUnsigned(out, result.ackedAbove());
        Packed.writeUnsigned(out, result.ranges());
        Packed.writeUnsigned(out, result.transactions());
        Packed.writeUnsigned(out, result.readers().size());
        for (SubscriptionReader reader : result.readers()) {
            Packed.writeString(out, reader.name());
            Packed.writeString(out, reader.address());
            Packed.writeString(out, reader.type());
            out.writeBoolean(reader.isServed());
        }
    }

    @Override
    public Position readResult(ByteBuf in) {
        long ackedBelow = Packed.readSigned(in);
        long ackedAbove = Packed.readUnsigned(in);
        int ranges = Packed.readCount(in);
        int transactions = Packed.readCount(in);
        List<SubscriptionReader> readers = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String name = Packed.readString(in);
            String address = Packed.readString(in);
            readers.add(new SubscriptionReader(name, address, Packed.readString(in), in.readBoolean()));
        }
        return new Position(ackedBelow, ackedAbove, ranges, transactions, readers);
    }
}
