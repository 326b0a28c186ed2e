package io.sluice.kafka.handler;

import io.sluice.broker.log.Isolation;
import org.apache.kafka.common.IsolationLevel;

/** Kafka's isolation levels as the log's. */
final class Isolations {
    private Isolations() {}

    /** Any number but that of READ_COMMITTED reads uncommitted, as in Kafka's consumers' default. */
    static Isolation of(byte level) {
        return level == IsolationLevel.READ_COMMITTED.id() ? Isolation.COMMITTED : Isolation.UNCOMMITTED;
    }
}
