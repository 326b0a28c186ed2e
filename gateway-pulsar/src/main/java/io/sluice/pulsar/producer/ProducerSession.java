package io.sluice.pulsar.producer;

import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.metrics.Traffic;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;

/** A producer of one partition. */
public final class ProducerSession {
    /**
     * @param id chosen by the client, unique on its connection
     * @param chosen whether the client chose the name
     * @param epoch rises with every reconnection of the client's producer
     * @param topicEpoch what an exclusive producer was given before, -1 if it is new
     * @param metadata the client's own, for stats
     */
    public record Identity(
            long id,
            String name,
            boolean chosen,
            long epoch,
            ProducerAccessMode mode,
            long topicEpoch,
            Map<String, String> metadata) {}

    private final Identity identity;
    private final ProducerOutlet outlet;
    private final long connectedAt;
    private final Traffic in;

    private boolean attached;
    private volatile long dedupId = EntryHeader.NO_PRODUCER;

    /** @param connectedAt milliseconds since the epoch */
    public ProducerSession(Identity identity, ProducerOutlet outlet, long connectedAt) {
        this.identity = identity;
        this.outlet = outlet;
        this.connectedAt = connectedAt;
        this.in = new Traffic(connectedAt);
    }

    public Identity identity() {
        return identity;
    }

    public long id() {
        return identity.id();
    }

    public String name() {
        return identity.name();
    }

    ProducerOutlet outlet() {
        return outlet;
    }

    /** Loop only: whether it may append; false once it was closed or fenced. */
    public boolean attached() {
        return attached;
    }

    void attach(boolean now) {
        attached = now;
    }

    /** Under which id the log knows it; {@link EntryHeader#NO_PRODUCER} where sends are not looked at for duplicates. Any thread. */
    public long dedupId() {
        return dedupId;
    }

    /** Loop only. */
    public void deduplicateAs(long id) {
        dedupId = id;
    }

    /** Loop only. */
    public void published(int messages, int bytes) {
        in.add(messages, bytes);
    }

    /** A producer at one moment, for stats. */
    public record View(Identity identity, String address, String clientVersion, long connectedAt, Traffic.View in) {}

    public View view(long now) {
        return new View(identity, outlet.address(), outlet.clientVersion(), connectedAt, in.view(now));
    }
}
