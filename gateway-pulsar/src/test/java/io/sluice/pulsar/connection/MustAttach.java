package io.sluice.pulsar.connection;

import io.sluice.pulsar.hub.PartitionHub;
import org.apache.pulsar.common.api.proto.ServerError;

/** A producer that is expected to attach at once. */
final class MustAttach implements PartitionHub.ProduceReply {
    @Override
    public void ready(long topicEpoch) {}

    @Override
    public void queued() {
        throw new AssertionError("queued");
    }

    @Override
    public void refused(ServerError error, String message) {
        throw new AssertionError(message);
    }
}
