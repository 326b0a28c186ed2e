package io.sluice.broker.access;

/** Operation on a resource: Kafka's operations, to which Pulsar's are mapped. */
public enum Operation {
    /** In a rule: every operation. Asked for to know who administers a tenant, see {@link Authorizer#administers}. */
    ALL,
    /** Fetch, consume; committing offsets and acknowledging, too. */
    READ,
    /** Produce, send; to use a transactional id. */
    WRITE,
    CREATE,
    DELETE,
    /** Partitions are added; rules and users changed. */
    ALTER,
    /** Its being there, its partitions, its offsets. */
    DESCRIBE,
    /** Requests that only brokers send each other. */
    CLUSTER_ACTION,
    DESCRIBE_CONFIGS,
    ALTER_CONFIGS,
    /** To be given producer ids; who may write some topic needs no right to it. */
    IDEMPOTENT_WRITE,
    CREATE_TOKENS,
    DESCRIBE_TOKENS,
    TWO_PHASE_COMMIT
}
