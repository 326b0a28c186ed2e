package io.sluice.kafka.share;

import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * Acknowledgements of one request, and what the member gives back when its session ends with it. Each partition's are made on its loop, all or
 * none; they are done when all are durable, or have failed.
 */
final class ShareAcks {
    private final String group;
    private final String member;
    private final SharePartitions partitions;
    private final Runnable done;
    /** One more until all are begun. */
    private int open = 1;

    /** @param done called once, on any thread */
    ShareAcks(ShareSession.Key key, SharePartitions partitions, Runnable done) {
        this.group = key.group();
        this.member = key.member();
        this.partitions = partitions;
        this.done = done;
    }

    /** Begins them all. */
    void begin(List<SharePart> parts, Collection<SharePartition> released) {
        for (SharePart part : parts) {
            PartitionLog log = part.log();
            if (log != null && part.isAcknowledged() && part.ackError() == Errors.NONE) {
                begun();
                log.container().execute(LoopTask.of(() -> acknowledge(part, log), why -> fail(part, why)));
            }
        }
        for (SharePartition each : released) {
            begun();
            each.log()
                    .container()
                    .execute(LoopTask.of(
                            () -> each.release(member, Durable.of(this::ended, why -> ended())), why -> ended()));
        }
        ended();
    }

    private synchronized void begun() {
        open++;
    }

    private void ended() {
        boolean last;
        synchronized (this) {
            open--;
            last = open == 0;
        }
        if (last) {
            done.run();
        }
    }

    private void acknowledge(SharePart part, PartitionLog log) {
        if (log.isGone()) {
            part.failAck(Errors.NOT_LEADER_OR_FOLLOWER);
            ended();
            return;
        }
        SharePartition there = partitions.find(group, log);
        Errors error = there == null ? Errors.INVALID_RECORD_STATE : there.whyNot(member, part.acks());
        if (there == null || error != Errors.NONE) {
            part.failAck(error);
            ended();
            return;
        }
        there.acknowledge(part.acks(), Durable.of(this::ended, why -> fail(part, why)));
    }

    private void fail(SharePart part, StoreFailure why) {
        part.failAck(KafkaErrors.toConsumer(why));
        ended();
    }
}
