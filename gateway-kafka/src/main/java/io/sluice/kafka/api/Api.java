package io.sluice.kafka.api;

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
     * Whether requests of this API that come one behind the other on a connection may be under way together. A request of
     * any other API starts when all before it are answered, and those behind it start when it is answered: Kafka has one
     * request of a connection under way, clients that pipeline rely on it (a commit, then the offsets), and those that
     * would be held up by a fetch or a join that waits use a connection of their own.
     *
     * <p>May be true only of writes that take their place in the log's order before {@code handle} returns (or what it does
     * {@linkplain RequestContext#offLoop elsewhere} is done), and whose answer tells nothing that depends on whether an earlier
     * one is durable yet. Then no client can tell, and many share a write.
     */
    default boolean overlapsItsKind() {
        return false;
    }
}
