package io.sluice.perf.workload;

import java.util.Objects;

/**
 * One load, as the OpenMessaging Benchmark's workload files describe it; component names are that format's keys.
 *
 * @param name shown in reports
 * @param topics topics of equal shape
 * @param partitionsPerTopic of each of them
 * @param messageSize payload bytes per record
 * @param subscriptionsPerTopic consumer groups or subscriptions, each of which reads everything
 * @param consumerPerSubscription consumers that share one subscription of one topic
 * @param producersPerTopic producers of one topic
 * @param producerRate records per second over all topics and producers; 0 is as fast as the clients' own buffers allow
 * @param keyDistributor which key each record carries
 * @param consumerBacklogSizeGB consumers stand still until this much is waiting, then drain it while producers go on; 0 is none
 * @param warmupDurationSeconds load of the same kind before the measured time
 * @param testDurationSeconds measured time
 * @param batching of the producers' clients
 * @param tailSubscriptions of the subscriptions, those that read from the start where the others wait for the backlog
 * @param sharing of a topic among the consumers of a subscription
 */
public record Workload(
        String name,
        int topics,
        int partitionsPerTopic,
        int messageSize,
        int subscriptionsPerTopic,
        int consumerPerSubscription,
        int producersPerTopic,
        int producerRate,
        KeyDistributor keyDistributor,
        double consumerBacklogSizeGB,
        int warmupDurationSeconds,
        int testDurationSeconds,
        Batching batching,
        int tailSubscriptions,
        Sharing sharing) {
    /** A record carries its intended send time, so it has at least so many bytes. */
    public static final int MIN_MESSAGE_SIZE = 8;

    /** Names of the published format. */
    public enum KeyDistributor {
        NO_KEY,
        KEY_ROUND_ROBIN,
        RANDOM_NANO
    }

    /** With the standard batches, and all subscriptions waiting for the backlog if there is one. */
    public Workload(
            String name,
            int topics,
            int partitionsPerTopic,
            int messageSize,
            int subscriptionsPerTopic,
            int consumerPerSubscription,
            int producersPerTopic,
            int producerRate,
            KeyDistributor keyDistributor,
            double consumerBacklogSizeGB,
            int warmupDurationSeconds,
            int testDurationSeconds) {
        this(
                name,
                topics,
                partitionsPerTopic,
                messageSize,
                subscriptionsPerTopic,
                consumerPerSubscription,
                producersPerTopic,
                producerRate,
                keyDistributor,
                consumerBacklogSizeGB,
                warmupDurationSeconds,
                testDurationSeconds,
                Batching.STANDARD,
                0,
                Sharing.PARTITIONS);
    }

    public Workload {
        batching = Objects.requireNonNullElse(batching, Batching.STANDARD);
        sharing = Objects.requireNonNullElse(sharing, Sharing.PARTITIONS);
        atLeast("topics", topics, 1);
        atLeast("partitionsPerTopic", partitionsPerTopic, 1);
        atLeast("messageSize", messageSize, MIN_MESSAGE_SIZE);
        atLeast("subscriptionsPerTopic", subscriptionsPerTopic, 0);
        atLeast("consumerPerSubscription", consumerPerSubscription, 1);
        atLeast("producersPerTopic", producersPerTopic, 1);
        atLeast("producerRate", producerRate, 0);
        atLeast("warmupDurationSeconds", warmupDurationSeconds, 0);
        atLeast("testDurationSeconds", testDurationSeconds, 1);
        if (!(consumerBacklogSizeGB >= 0)) {
            throw new IllegalArgumentException(
                    "consumerBacklogSizeGB is " + consumerBacklogSizeGB + ", want 0 or more");
        }
        int most = consumerBacklogSizeGB > 0 ? subscriptionsPerTopic - 1 : 0;
        if (tailSubscriptions < 0 || tailSubscriptions > Math.max(0, most)) {
            throw new IllegalArgumentException("tailSubscriptions is " + tailSubscriptions
                    + ", want less than subscriptionsPerTopic, and 0 without a backlog");
        }
    }

    /** The same load after another warm-up. */
    public Workload withWarmUp(int seconds) {
        return with(name, producerRate, consumerBacklogSizeGB, seconds, testDurationSeconds);
    }

    /** The same load with another measured time. */
    public Workload withTest(int seconds) {
        return with(name, producerRate, consumerBacklogSizeGB, warmupDurationSeconds, seconds);
    }

    /** The same load with another backlog, in units of 10^9 bytes. */
    public Workload withBacklog(double gigabytes) {
        return with(name, producerRate, gigabytes, warmupDurationSeconds, testDurationSeconds);
    }

    /** The same load at another rate, under another name. */
    public Workload atRate(String otherName, int perSecond) {
        return with(otherName, perSecond, consumerBacklogSizeGB, warmupDurationSeconds, testDurationSeconds);
    }

    /** Subscriptions that wait until the backlog is there; 0 without one. */
    public int lateSubscriptions() {
        return consumerBacklogSizeGB > 0 ? subscriptionsPerTopic - tailSubscriptions : 0;
    }

    private Workload with(String otherName, int perSecond, double backlogGigabytes, int warmUp, int test) {
        return new Workload(
                otherName,
                topics,
                partitionsPerTopic,
                messageSize,
                subscriptionsPerTopic,
                consumerPerSubscription,
                producersPerTopic,
                perSecond,
                keyDistributor,
                backlogGigabytes,
                warmUp,
                test,
                batching,
                tailSubscriptions,
                sharing);
    }

    private static void atLeast(String key, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(key + " is " + value + ", want " + least + " or more");
        }
    }
}
