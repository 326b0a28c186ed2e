package io.sluice.broker.access;

/** What is done with a topic, a namespace or the cluster; Kafka's operations, under which Pulsar's go as well. */
public enum Operation {
    /** Fetch, consume; committing offsets and acknowledging, too. */
    READ,
    /** Produce, send. */
    WRITE,
    CREATE,
    DELETE,
    /** Partitions are added. */
    ALTER,
    /** Its being there, its partitions, its offsets. */
    DESCRIBE,
    DESCRIBE_CONFIGS,
    ALTER_CONFIGS
}
