package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.fetch.EarlierReads;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;

/** Share groups at this node: who fetches, and what groups have in hand in its partitions. Any thread. */
public final class ShareGroups {
    /** Partitions of all sessions: some 100 bytes each. */
    private static final int MOST_PARTITIONS = 200_000;

    /** Sweeps between two of the partitions. */
    private static final int SWEEPS = 20;

    private final ShareSettings settings;
    private final SharePartitions partitions;
    private final ShareSessions sessions;
    private final EntryConversions conversions;
    private int sweeps;

    public ShareGroups(ShareSettings settings, SharePartitions partitions, EntryConversions conversions) {
        this.settings = settings;
        this.partitions = partitions;
        this.conversions = conversions;
        this.sessions = new ShareSessions(settings.maxSessions(), MOST_PARTITIONS);
    }

    SharePartitions partitions() {
        return partitions;
    }

    ShareSessions sessions() {
        return sessions;
    }

    ShareLimits limits(String group) {
        return settings.of(group);
    }

    /** Makes Kafka batches of what a Pulsar client wrote; takes the bytes over. */
    void convert(PartitionLog log, ByteBuf entries, int maxBytes, EntryConversions.Reply reply) {
        var place = new EntryConversions.Place(log.topicId(), log.partitionId());
        conversions.toKafka(place, entries, new EarlierReads(log), maxBytes, reply);
    }

    /** Gives back what members have in hand whose connection is gone: to be called every now and then, by one thread. */
    public void sweep() {
        sessions.takeLeft().forEach(ShareGroups::release);
        sweeps = (sweeps + 1) % SWEEPS;
        if (sweeps == 0) {
            partitions.sweep();
        }
    }

    private static void release(ShareSession session) {
        for (SharePartition each : session.touched()) {
            each.log()
                    .container()
                    .execute(LoopTask.of(() -> each.release(session.key().member(), Durable.IGNORED)));
        }
    }

    public int sessionCount() {
        return sessions.size();
    }

    public int partitionCount() {
        return partitions.size();
    }
}
