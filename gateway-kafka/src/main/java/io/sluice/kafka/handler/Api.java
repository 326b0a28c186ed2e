package io.sluice.kafka.handler;

import org.apache.kafka.common.protocol.ApiKeys;

/** One API of the protocol, as this server speaks it: what {@code ApiVersions} advertises. */
public sealed interface Api permits ApiHandler, RawApiHandler {
    ApiKeys key();

    /** Lowest version answered. */
    default short minVersion() {
        return key().oldestVersion();
    }

    /** Highest version answered; by default the newest that Kafka calls stable. */
    default short maxVersion() {
        return key().latestVersion(false);
    }

    /**
     * True if the connection starts no further request before this one is answered. For answers so large that only one
     * may wait to be sent.
     */
    default boolean alone() {
        return false;
    }
}
