package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.List;

/**
 * Deletes a subscription of a partition, or moves it to other messages; consumers that are connected to it are disconnected. True once that is
 * durable, false if the partition has no such subscription.
 *
 * @param time milliseconds since the epoch, for {@link Change#MOVE_TO_TIME}
 */
public record ChangeSubscription(String subscription, Change change, long time, Hubs hubs)
        implements PartitionStep<Boolean> {
    private static final byte CODE = 35;

    /** Kinds of changes; their numbers are sent to other nodes. */
    public enum Change {
        DELETE,
        MOVE_TO_START,
        MOVE_TO_END,
        MOVE_TO_TIME,
        /** Moves all subscriptions, whichever name is given; the server's own stay where they are. */
        MOVE_ALL_TO_END
    }

    /** Has this node make changes for others. */
    public static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(
                CODE, in -> new ChangeSubscription(Packed.readString(in), change(in.readByte()), in.readLong(), hubs));
    }

    private static Change change(byte number) {
        Change[] all = Change.values();
        if (number < 0 || number >= all.length) {
            throw new IllegalArgumentException("change " + number + " of a subscription is not known here");
        }
        return all[number];
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
    public Boolean ofUnmade() {
        return false;
    }

    /** Has all subscriptions moved to the end. */
    public static ChangeSubscription allToEnd(Hubs hubs) {
        return new ChangeSubscription("", Change.MOVE_ALL_TO_END, 0, hubs);
    }

    @Override
    public void ask(PartitionLog log, Answer<Boolean> answer) {
        if (change == Change.MOVE_ALL_TO_END) {
            moveAll(log, answer);
        } else {
            changeOne(log, answer);
        }
    }

    /** One after the other: true once the last is durable, and so those before it. */
    private void moveAll(PartitionLog log, Answer<Boolean> answer) {
        List<String> names = log.subscriptions().all().stream()
                .map(Cursor::name)
                .filter(name -> !Subscriptions.isInternal(name))
                .toList();
        long end = log.readableEnd(Isolation.COMMITTED);
        for (int i = 0; i < names.size() - 1; i++) {
            move(log, names.get(i), end, Durable.IGNORED);
        }
        if (names.isEmpty()) {
            answer.complete(false);
        } else {
            move(log, names.getLast(), end, answer.onceDurable(true));
        }
    }

    private void changeOne(PartitionLog log, Answer<Boolean> answer) {
        PartitionHub hub = hubs.find(log);
        boolean connected = hub != null && hub.subscriptions().connected(subscription) != null;
        if (!connected && log.subscriptions().find(subscription) == null) {
            answer.complete(false);
            return;
        }
        switch (change) {
            case DELETE -> delete(log, answer);
            case MOVE_TO_START -> move(log, log.startOffset(), answer);
            case MOVE_TO_END -> move(log, log.readableEnd(Isolation.COMMITTED), answer);
            case MOVE_TO_TIME -> moveToTime(log, answer);
            case MOVE_ALL_TO_END -> throw new IllegalStateException("not about one subscription");
        }
    }

    private void delete(PartitionLog log, Answer<Boolean> answer) {
        PartitionHub hub = hubs.find(log);
        if (hub != null) {
            hub.subscriptions().unsubscribe(subscription, answer.onceDurable(true));
        } else {
            CompactedReads.deleteSubscription(log, subscription, answer.onceDurable(true));
        }
    }

    private void moveToTime(PartitionLog log, Answer<Boolean> answer) {
        log.offsetAtTime(time, new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime base) {
                move(log, base.offset() < 0 ? log.readableEnd(Isolation.COMMITTED) : base.offset(), answer);
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        });
    }

    private void move(PartitionLog log, long offset, Answer<Boolean> answer) {
        if (!move(log, subscription, offset, answer.onceDurable(true))) {
            answer.complete(false);
        }
    }

    /** False if there is none of this name. */
    private boolean move(PartitionLog log, String name, long offset, Durable moved) {
        PartitionHub hub = hubs.find(log);
        Subscription connected = hub == null ? null : hub.subscriptions().connected(name);
        Cursor cursor = log.subscriptions().find(name);
        if (connected != null) {
            connected.seek(offset, moved);
        } else if (cursor != null) {
            cursor.seek(offset, moved);
        } else {
            return false;
        }
        return true;
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, subscription);
        out.writeByte(change.ordinal());
        out.writeLong(time);
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
