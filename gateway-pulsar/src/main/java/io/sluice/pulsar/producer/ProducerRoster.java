package io.sluice.pulsar.producer;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.store.segment.Durable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a partition and their access modes. Loop only.
 *
 * <p>Exclusive producers carry a topic epoch, which the log keeps. New ones get one above it and hear of it once it is
 * durable; a producer that returns with an older one is fenced, also after a restart.
 */
public final class ProducerRoster {
    /** Producers one partition takes, queued ones included. */
    private static final int MAX_PRODUCERS = 10_000;

    /** Answer to {@link #add}; {@code queued} may be followed by one of the others. */
    public interface Reply {
        /** {@code topicEpoch} is -1 for a shared producer. */
        void ready(ProducerSession producer, long topicEpoch);

        void queued(ProducerSession producer);

        void refused(ServerError error, String message);
    }

    private record Waiting(ProducerSession producer, Reply reply) {}

    private final Map<String, ProducerSession> byName = new HashMap<>();
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private @Nullable ProducerSession exclusive;
    private final TopicEpochs epochs;

    /** Keeps the epoch of a topic's exclusive producers. */
    public interface TopicEpochs {
        /** The newest; -1 if there was none. */
        long current();

        /** A newer one; {@code raised} is told when it lasts. */
        void raise(long epoch, Durable raised);
    }

    public ProducerRoster(PartitionLog log) {
        this(new TopicEpochs() {
            @Override
            public long current() {
                return log.producers().exclusiveEpoch();
            }

            @Override
            public void raise(long epoch, Durable raised) {
                log.producers().raiseExclusiveEpoch(epoch, raised);
            }
        });
    }

    public ProducerRoster(TopicEpochs epochs) {
        this.epochs = epochs;
    }

    public Collection<ProducerSession> all() {
        return byName.values();
    }

    public void add(ProducerSession p, Reply reply) {
        if (byName.size() + queue.size() >= MAX_PRODUCERS) {
            reply.refused(ServerError.ProducerBusy, "the topic has too many producers");
            return;
        }
        boolean comesBack = exclusive != null && exclusive.name().equals(p.name());
        if (!makeRoom(p)) {
            reply.refused(
                    ServerError.ProducerBusy, "Producer with name '" + p.name() + "' is already connected to topic");
            return;
        }
        enter(p, comesBack, reply);
        promote();
    }

    /** @param comesBack it was the exclusive producer on an earlier connection: those who wait stay behind it */
    private void enter(ProducerSession p, boolean comesBack, Reply reply) {
        switch (p.identity().mode()) {
            case Shared -> addShared(p, reply);
            case Exclusive -> {
                if (comesBack) {
                    takeOver(p, reply);
                } else {
                    addExclusive(p, reply);
                }
            }
            case ExclusiveWithFencing -> {
                if (!isFenced(p)) {
                    fenceAll();
                }
                takeOver(p, reply);
            }
            case WaitForExclusive -> {
                if (comesBack || byName.isEmpty() && queue.isEmpty()) {
                    takeOver(p, reply);
                } else {
                    queue.add(new Waiting(p, reply));
                    reply.queued(p);
                }
            }
        }
    }

    /** A client that reconnects may find its former self still here. */
    private boolean makeRoom(ProducerSession p) {
        queue.removeIf(w -> !w.producer().outlet().connected());
        ProducerSession there = byName.get(p.name());
        if (there == null) {
            return true;
        }
        boolean successor = !p.identity().chosen()
                && p.identity().epoch() > there.identity().epoch();
        if (!successor && there.outlet().connected()) {
            return false;
        }
        detach(there);
        return true;
    }

    private void addShared(ProducerSession p, Reply reply) {
        if (exclusive != null || !queue.isEmpty()) {
            reply.refused(ServerError.ProducerBusy, "the topic has an exclusive producer");
            return;
        }
        byName.put(p.name(), p);
        p.attach(true);
        reply.ready(p, -1);
    }

    private void addExclusive(ProducerSession p, Reply reply) {
        if (exclusive != null || !queue.isEmpty()) {
            reply.refused(ServerError.ProducerFenced, "the topic has an existing exclusive producer");
        } else if (!byName.isEmpty()) {
            reply.refused(ServerError.ProducerFenced, "the topic has existing shared producers");
        } else {
            takeOver(p, reply);
        }
    }

    private boolean isFenced(ProducerSession p) {
        long epoch = p.identity().topicEpoch();
        return epoch >= 0 && epoch < epochs.current();
    }

    private void takeOver(ProducerSession p, Reply reply) {
        if (isFenced(p)) {
            reply.refused(
                    ServerError.ProducerFenced,
                    "the topic's epoch has moved to " + epochs.current() + ", past "
                            + p.identity().topicEpoch());
            return;
        }
        long brought = p.identity().topicEpoch();
        long epoch = brought >= 0 ? brought : epochs.current() + 1;
        if (epoch == Long.MAX_VALUE) {
            reply.refused(ServerError.NotAllowedError, "there is no topic epoch after " + (epoch - 1));
            return;
        }
        exclusive = p;
        byName.put(p.name(), p);
        p.attach(true);
        Durable raised = Durable.of(
                () -> {
                    if (p.attached()) {
                        reply.ready(p, epoch);
                    } else {
                        reply.refused(ServerError.ProducerFenced, "another producer has taken the topic over");
                    }
                },
                why -> reply.refused(ErrorMapping.of(why), why.message()));
        epochs.raise(epoch, raised);
    }

    private void fenceAll() {
        for (Waiting w : queue) {
            w.reply().refused(ServerError.ProducerFenced, "another producer has taken the topic over");
        }
        queue.clear();
        for (ProducerSession p : new ArrayList<>(byName.values())) {
            detach(p);
            p.outlet().closeProducer(p);
        }
    }

    public void remove(ProducerSession p) {
        queue.removeIf(w -> w.producer() == p);
        if (!p.attached()) {
            return;
        }
        detach(p);
        promote();
    }

    /** Gives a topic without an owner to the next in line; called after every change. */
    private void promote() {
        while (byName.isEmpty() && !queue.isEmpty()) {
            Waiting next = queue.remove();
            takeOver(next.producer(), next.reply());
        }
    }

    /** Producers that wait for their turn, first come first. */
    public List<ProducerSession> waiting() {
        return queue.stream().map(Waiting::producer).toList();
    }

    private void detach(ProducerSession p) {
        p.attach(false);
        byName.remove(p.name(), p);
        if (exclusive == p) {
            exclusive = null;
        }
    }

    /** The partition is no longer served here: everybody looks it up again. */
    public void close() {
        clear().forEach(p -> p.outlet().partitionLeft(p));
    }

    /** Everybody goes on at another cluster. */
    public void migrate() {
        clear().forEach(p -> p.outlet().topicMigrated(p));
    }

    /** Everybody comes again, here. */
    public void disconnect() {
        clear().forEach(p -> p.outlet().closeProducer(p));
    }

    private List<ProducerSession> clear() {
        List<ProducerSession> everybody = new ArrayList<>(byName.values());
        queue.forEach(w -> everybody.add(w.producer()));
        byName.clear();
        queue.clear();
        exclusive = null;
        everybody.forEach(p -> p.attach(false));
        return everybody;
    }
}
