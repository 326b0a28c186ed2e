package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.LoopTask;
import org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode;

/**
 * Looks whether clients of either protocol use a partition. Before a deletion it also keeps writers out, on the loop: what is written before is
 * seen, and what comes after is refused.
 *
 * @param mode subscriptions that count as a use: any, or those with a backlog
 */
public record LookAtUse(Kind kind, InactiveTopicDeleteMode mode, Hubs hubs) implements PartitionStep<LookAtUse.Use> {
    /** Entries are refused so long, unless the partition is released before. */
    public static final int HOLD_MILLIS = 30_000;

    private static final byte CODE = 38;

    /** Step that is taken. */
    public enum Kind {
        LOOK,
        /** Looks, and keeps writers out of a partition that is not in use. */
        HOLD,
        /** Lets writers in again. */
        RELEASE
    }

    /**
     * Use of a partition.
     *
     * @param now whether clients are connected or subscriptions count
     * @param stamp another one after each write, read and acknowledgement, and in each term of the log; 0 if there was none ever
     */
    public record Use(boolean now, long stamp) {
        static final Use NONE = new Use(false, 0);
    }

    /** Has this node look for others. */
    public static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(
                CODE,
                in -> new LookAtUse(
                        Kind.values()[in.readByte()], InactiveTopicDeleteMode.values()[in.readByte()], hubs));
    }

    @Override
    public byte code() {
        return CODE;
    }

    /** A partition that is not made could not keep writers out. */
    @Override
    public boolean makesPartition() {
        return kind == Kind.HOLD;
    }

    @Override
    public Use ofUnmade() {
        return Use.NONE;
    }

    @Override
    public void ask(PartitionLog found, Answer<Use> answer) {
        PartitionLog log = kind == Kind.HOLD ? found.createIfMissing() : found;
        if (kind == Kind.RELEASE) {
            release(log);
        }
        Use use = new Use(hasClients(log) || hasSubscriptions(log) || isWriting(log), stamp(log));
        if (kind == Kind.HOLD && !use.now()) {
            log.holdUntil(log.container().now() + HOLD_MILLIS);
            log.container().schedule(HOLD_MILLIS, LoopTask.of(() -> release(log)));
        }
        answer.complete(use);
    }

    /** A producer whose message was refused sends it again when it is told to come again. */
    private void release(PartitionLog log) {
        if (log.holdUntil(0)) {
            PartitionHub hub = hubs.find(log);
            if (hub != null) {
                hub.disconnectProducers();
            }
        }
    }

    private boolean hasClients(PartitionLog log) {
        PartitionHub hub = hubs.find(log);
        if (hub == null) {
            return log.waitingReaders() > 0;
        }
        HubView view = hub.view();
        // the hub itself waits for the log's end
        return !view.producers().isEmpty() || !view.subscriptions().isEmpty() || log.waitingReaders() > 1;
    }

    private boolean hasSubscriptions(PartitionLog log) {
        return mode == InactiveTopicDeleteMode.delete_when_no_subscriptions
                ? log.subscriptions().all().stream().anyMatch(LookAtUse::counts)
                : Backlog.of(log).oldest() >= 0;
    }

    /** The server's own do not. */
    private static boolean counts(Cursor cursor) {
        return !Subscriptions.isInternal(cursor.name());
    }

    /** Something is on its way, or in an open transaction. */
    private static boolean isWriting(PartitionLog log) {
        return log.readableEnd(Isolation.COMMITTED) < log.sequencedEnd();
    }

    private static long stamp(PartitionLog log) {
        long count = log.sequencedEnd() + log.traffic().reads();
        for (Cursor cursor : log.subscriptions().all()) {
            count += 1 + cursor.ackedBelow() + cursor.ackedAbove();
        }
        return count == 0 ? 0 : ((long) log.leaderEpoch() << Integer.SIZE) + count;
    }

    @Override
    public void write(ByteBuf out) {
        out.writeByte(kind.ordinal());
        out.writeByte(mode.ordinal());
    }

    @Override
    public void writeResult(Use result, ByteBuf out) {
        out.writeBoolean(result.now());
        out.writeLong(result.stamp());
    }

    @Override
    public Use readResult(ByteBuf in) {
        return new Use(in.readBoolean(), in.readLong());
    }
}
