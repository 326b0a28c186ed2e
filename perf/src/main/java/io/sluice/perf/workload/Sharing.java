package io.sluice.perf.workload;

/** How the consumers of a subscription share a topic. */
public enum Sharing {
    /** Each partition has one of them at a time, which gets its records in order: Kafka's groups, Pulsar's failover subscriptions. */
    PARTITIONS,
    /** Each record goes to any of them: Pulsar's shared subscriptions. */
    MESSAGES,
    /** The records of a key go to one of them: Pulsar's key-shared subscriptions. Producers should not batch, or batch by key. */
    KEYS
}
