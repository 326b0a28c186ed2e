package io.sluice.kafka.coordinator;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How groups behave.
 *
 * @param offsetsPartitions partitions of the offsets topic when it is created; afterwards the topic's own record counts
 * @param initialRebalanceDelay how long the first member of an empty classic or streams group waits for others. Kafka's 3 s is made
 *     for clusters that restart whole fleets; 200 ms joins the threads of one application and is not felt by a person
 * @param minSessionTimeout shortest session timeout a classic member may ask for
 * @param maxSessionTimeout longest session timeout a classic member may ask for
 * @param consumerHeartbeat how often a member of the consumer or streams protocol asks, and so how soon it learns of its partitions
 * @param shareHeartbeat how often a member of a share group asks
 * @param shareLock for which a member of a share group has a record in hand, where the group does not say
 * @param offsetsRetention offsets of a group without members, or of a topic it no longer reads, are kept this long
 * @param retentionCheckInterval how often expired offsets and groups are looked for
 * @param maxGroupSize members one group may have, classic, consumer or streams
 * @param writeTimeout how long a change of a group may take to become durable before the client is told to retry
 */
public record GroupSettings(
        int offsetsPartitions,
        Duration initialRebalanceDelay,
        Duration minSessionTimeout,
        Duration maxSessionTimeout,
        Duration consumerHeartbeat,
        Duration shareHeartbeat,
        Duration shareLock,
        Duration offsetsRetention,
        Duration retentionCheckInterval,
        int maxGroupSize,
        Duration writeTimeout) {

    public static final GroupSettings DEFAULT = new GroupSettings(
            8,
            Duration.ofMillis(200),
            Duration.ofSeconds(6),
            Duration.ofMinutes(30),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofDays(7),
            Duration.ofMinutes(10),
            10_000,
            Duration.ofSeconds(5));

    public GroupSettings {
        require(offsetsPartitions >= 1 && offsetsPartitions <= 1_000, "offsetsPartitions must be 1 to 1000");
        require(!initialRebalanceDelay.isNegative(), "initialRebalanceDelay must not be negative");
        require(isMillis(minSessionTimeout) && isMillis(maxSessionTimeout), "session timeouts must be 1 ms to 24 days");
        require(
                minSessionTimeout.compareTo(maxSessionTimeout) <= 0,
                "minSessionTimeout must not exceed maxSessionTimeout");
        require(
                isMillis(consumerHeartbeat) && consumerHeartbeat.compareTo(Duration.ofSeconds(15)) <= 0,
                "consumerHeartbeat must be 1 ms to 15 s");
        require(
                isMillis(shareHeartbeat) && shareHeartbeat.compareTo(Duration.ofSeconds(15)) <= 0,
                "shareHeartbeat must be 1 ms to 15 s");
        require(
                isMillis(shareLock) && shareLock.compareTo(Duration.ofMinutes(1)) <= 0,
                "shareLock must be 1 ms to a minute");
        require(offsetsRetention.toMinutes() >= 1, "offsetsRetention must be at least a minute");
        require(isMillis(retentionCheckInterval), "retentionCheckInterval must be 1 ms to 24 days");
        require(maxGroupSize >= 1, "maxGroupSize must be at least 1");
        require(isMillis(writeTimeout), "writeTimeout must be 1 ms to 24 days");
    }

    /** In Kafka's names. Two threads each: the work is small, and what waits is the hop to a container's loop. */
    Map<String, Object> toKafka() {
        Map<String, Object> kafka = new HashMap<>();
        kafka.put("offsets.topic.num.partitions", offsetsPartitions);
        kafka.put("offsets.topic.replication.factor", (short) 1);
        kafka.put("group.coordinator.threads", 2);
        kafka.put("group.coordinator.background.threads", 1);
        kafka.put("group.initial.rebalance.delay.ms", (int) initialRebalanceDelay.toMillis());
        kafka.put("group.min.session.timeout.ms", (int) minSessionTimeout.toMillis());
        kafka.put("group.max.session.timeout.ms", (int) maxSessionTimeout.toMillis());
        kafka.put("group.consumer.heartbeat.interval.ms", (int) consumerHeartbeat.toMillis());
        // the least that a group's own setting may be
        kafka.put("group.consumer.min.heartbeat.interval.ms", (int) Math.min(5_000, consumerHeartbeat.toMillis()));
        kafka.put("group.streams.initial.rebalance.delay.ms", (int) initialRebalanceDelay.toMillis());
        kafka.put("group.streams.heartbeat.interval.ms", (int) consumerHeartbeat.toMillis());
        kafka.put("group.streams.min.heartbeat.interval.ms", (int) Math.min(5_000, consumerHeartbeat.toMillis()));
        kafka.put("group.streams.max.size", maxGroupSize);
        kafka.put("group.share.heartbeat.interval.ms", (int) shareHeartbeat.toMillis());
        kafka.put("group.share.min.heartbeat.interval.ms", (int) Math.min(5_000, shareHeartbeat.toMillis()));
        kafka.put("group.share.record.lock.duration.ms", (int) shareLock.toMillis());
        kafka.put("group.share.min.record.lock.duration.ms", (int) Math.min(15_000, shareLock.toMillis()));
        kafka.put("offsets.retention.minutes", (int) Math.min(Integer.MAX_VALUE, offsetsRetention.toMinutes()));
        kafka.put("offsets.retention.check.interval.ms", retentionCheckInterval.toMillis());
        kafka.put("group.max.size", maxGroupSize);
        kafka.put("group.consumer.max.size", maxGroupSize);
        kafka.put("offsets.commit.timeout.ms", (int) writeTimeout.toMillis());
        return kafka;
    }

    private static boolean isMillis(Duration d) {
        return d.toMillis() >= 1 && d.toMillis() <= Integer.MAX_VALUE;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
