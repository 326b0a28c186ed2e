package io.sluice.pulsar.scalable;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.store.segment.Answer;
import org.jspecify.annotations.Nullable;

/** Looks at a subscription on a scalable segment, where that is served. */
record LookAtSegment(String subscription, Hubs hubs) implements PartitionStep<SegmentSight> {
    private static final byte CODE = 32;
    private static final int DRAINED = 1;
    private static final int READY = 2;
    private static final int HAS_READER = 4;

    /** Has this node look for others. */
    static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(CODE, in -> new LookAtSegment(Packed.readString(in), hubs));
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
    public SegmentSight ofUnmade() {
        return new SegmentSight(false, null, false);
    }

    @Override
    public void ask(PartitionLog log, Answer<SegmentSight> seen) {
        ConsumerView reader = reader(log);
        String name = reader == null ? null : reader.identity().name();
        boolean ready = reader != null && reader.times().firstFlow() > 0;
        if (!isDrained(log)) {
            seen.complete(new SegmentSight(false, name, ready));
            return;
        }
        // an acknowledgement counts at once, and could be lost still
        log.container().barrier(seen.onceDurable(new SegmentSight(true, name, ready)));
    }

    private @Nullable ConsumerView reader(PartitionLog log) {
        PartitionHub hub = hubs.find(log);
        Subscription there = hub == null ? null : hub.subscriptions().connected(subscription);
        return there == null
                ? null
                : there.view().consumers().stream().findFirst().orElse(null);
    }

    private boolean isDrained(PartitionLog log) {
        if (!log.isComplete()) {
            return false;
        }
        Cursor cursor = log.subscriptions().find(subscription);
        return cursor == null
                ? log.startOffset() == log.readableEnd(Isolation.COMMITTED)
                : Subscription.backlog(log, cursor) == 0;
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, subscription);
    }

    @Override
    public void writeResult(SegmentSight result, ByteBuf out) {
        String reader = result.reader();
        out.writeByte(
                (result.drained() ? DRAINED : 0) | (result.ready() ? READY : 0) | (reader == null ? 0 : HAS_READER));
        if (reader != null) {
            Packed.writeString(out, reader);
        }
    }

    @Override
    public SegmentSight readResult(ByteBuf in) {
        int flags = in.readByte();
        String reader = (flags & HAS_READER) == 0 ? null : Packed.readString(in);
        return new SegmentSight((flags & DRAINED) != 0, reader, (flags & READY) != 0);
    }
}
