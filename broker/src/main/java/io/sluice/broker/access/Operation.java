package io.sluice.broker.access;

/** Operation on a topic, a namespace or the cluster: Kafka's operations, to which Pulsar's are mapped. */
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
