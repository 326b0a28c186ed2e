package io.sluice.pulsar.replication;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.ClusterMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.rate.Rate;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.format.MalformedEntryException;
import io.sluice.pulsar.format.StoredEntry;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.replication.subscription.ReplicatedSubscriptions;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Markers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is written to one partition on to one other cluster, in its order, for one term of the partition's log.
 *
 * <pre>
 *   log ──read──► what is for there? ──► producer (bounded) ──receipts──► cursor ──► trimming
 * </pre>
 *
 * <p>What has no receipt is sent again after a pause, from the cursor on; it says its place in this log, by which the other cluster knows it. Safe
 * to end anywhere.
 */
final class Replicator implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Replicator.class);

    /** Entries without a receipt; as many as Pulsar's replicator has at most. */
    private static final int MOST_ENTRIES = 1_000;

    private static final long MOST_BYTES = 4 << 20;
    private static final int READ_BYTES = 256 << 10;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LAST_PAUSE_MILLIS = 30_000;
    private static final int REMEMBERED_SCHEMAS = 64;

    /**
     * A partition and where it goes.
     *
     * @param partition -1 for a non-partitioned topic
     * @param fromStart whether it is sent from its first message on, where it was not sent before
     */
    record Task(Topic topic, int partition, PartitionLog log, String cluster, boolean fromStart) {
        @Override
        public String toString() {
            return topic.name() + (partition < 0 ? "" : " partition " + partition) + " to " + cluster;
        }
    }

    /** Parts that all replicators share, or all to one cluster. */
    record Means(
            RemoteCluster remote,
            SendBudget budget,
            EntryReader reader,
            TopicSchemas schemas,
            TimeToLive ttl,
            RateOf rate) {}

    /** How fast a partition of a topic is sent on. */
    interface RateOf {
        Rate of(TopicName topic);
    }

    /** How long a topic's messages live. */
    interface TimeToLive {
        /** Seconds; 0 for ever. */
        int of(Topic topic);
    }

    private final Task task;
    private final Means means;
    private final ReplicatedSubscriptions subscriptions;
    private final ReplicatorCursor cursor;
    private final ReplicationRate rate;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final MessageMetadata metadata = new MessageMetadata();
    private final Traffic out;
    /** Not in {@link #out} yet, which is the loop's. */
    private final AtomicLong sentMessages = new AtomicLong();

    private final AtomicLong sentBytes = new AtomicLong();
    /** By version; its thread only. */
    private final Map<Long, Schema> schemas = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Schema> eldest) {
            return size() > REMEMBERED_SCHEMAS;
        }
    };

    private volatile @Nullable RemoteProducer producer;
    private volatile @Nullable InFlight inFlight;
    private volatile boolean stopped;
    private volatile boolean forgets;
    private volatile boolean ended;
    /** Something has arrived since the last attempt began. */
    private volatile boolean progressed;
    /** Bytes of the budget that were taken for the run in hand, and not used; its thread only. */
    private long held;
    /** Something was read; its thread only. */
    private boolean begun;

    private @Nullable Thread thread;

    /** @param subscriptions of the partition; told of what is read */
    Replicator(Task task, Means means, ReplicatedSubscriptions subscriptions) {
        this.task = task;
        this.means = means;
        this.subscriptions = subscriptions;
        this.cursor = new ReplicatorCursor(task.log(), task.cluster());
        this.rate = new ReplicationRate(() -> means.rate().of(task.topic().name()));
        this.out = new Traffic(System.currentTimeMillis());
    }

    Task task() {
        return task;
    }

    /** Completes when its cursor is durable, or it has ended. */
    CompletableFuture<Void> opened() {
        return opened;
    }

    /** Whether it has a connection to the other cluster now. */
    boolean isConnected() {
        RemoteProducer to = producer;
        return to != null && to.isConnected();
    }

    /** It has stopped by itself, since its log did. */
    boolean hasEnded() {
        return ended;
    }

    /**
     * Ends it soon.
     *
     * @param forget whether its cursor goes, too
     */
    synchronized void stop(boolean forget) {
        forgets = forget;
        stopped = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private synchronized boolean begin() {
        thread = Thread.currentThread();
        return !stopped;
    }

    /** Nothing interrupts its thread from now on. */
    private synchronized void finish() {
        thread = null;
    }

    /** Until it is stopped, or the log has ended here; blocks. */
    @Override
    public void run() {
        try {
            long pause = FIRST_PAUSE_MILLIS;
            while (begin()) {
                progressed = false;
                String why = attempt();
                if (why == null) {
                    break;
                }
                pause = progressed ? FIRST_PAUSE_MILLIS : pause;
                if (pause == FIRST_PAUSE_MILLIS) {
                    LOG.warn("Replication of {} is tried again and again: {}", task, why);
                }
                Thread.sleep(pause);
                pause = Math.min(2 * pause, LAST_PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            // it was stopped
        } finally {
            finish();
            if (forgets) {
                cursor.delete();
            }
            ended = true;
            opened.complete(null);
        }
    }

    /** Null if it is over. */
    private @Nullable String attempt() throws InterruptedException {
        try {
            cursor.open(task.fromStart()).get();
            opened.complete(null);
            replicate();
            return null;
        } catch (ExecutionException e) {
            StoreFailure failure = StoreException.failureIn(e);
            if (failure instanceof StoreFailure.NotOwner) {
                return null;
            }
            return failure == null ? String.valueOf(e.getCause()) : failure.message();
        } catch (IOException | MalformedEntryException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void replicate() throws IOException, InterruptedException, ExecutionException {
        try (RemoteProducer to = means.remote().open(task.topic(), task.partition())) {
            InFlight ways = new InFlight(MOST_ENTRIES, MOST_BYTES, means.budget(), cursor::advance);
            producer = to;
            inFlight = ways;
            try {
                long next = 0;
                while (!stopped) {
                    ways.awaitRoom();
                    if (ways.failure().isDone()) {
                        ways.failure().get();
                    }
                    next = step(to, ways, next);
                }
            } finally {
                producer = null;
                ways.close();
                inFlight = null;
            }
        }
    }

    /** First offset that is to be sent, and one past the last that can be read. */
    private record Place(long offset, long end) {}

    /** A run of entries as it was read, with the ledgers of their ids. */
    private record Batch(EntryReader.Run run, List<Long> ledgers) {}

    /** Sends what can be read at once from {@code next} on, or waits for more; gives where to go on. */
    private long step(RemoteProducer to, InFlight ways, long next)
            throws IOException, InterruptedException, ExecutionException {
        PartitionLog log = task.log();
        Place place = log.container()
                .ask(() -> new Place(cursor.next(next), log.readableEnd(Isolation.COMMITTED)))
                .get();
        long from = place.offset();
        if (from < 0) {
            throw new IOException("its cursor was deleted");
        }
        if (!begun) {
            begun = true;
            subscriptions.dataUpTo(from); // it has not seen what is before
        }
        if (from >= place.end()) {
            await(ways, from); // with nothing of the budget
            return from;
        }
        rate.follow();
        rate.await();
        means.budget().take(READ_BYTES);
        held = READ_BYTES;
        try {
            Batch batch = read(from);
            for (int i = 0; i < batch.run().entries().size(); i++) {
                EntryReader.Seen entry = batch.run().entries().get(i);
                if (entry.base() + entry.offsets() > from) {
                    send(to, ways, entry, batch.ledgers().get(i));
                }
            }
            if (batch.run().next() > from) {
                ways.passes(batch.run().next());
            }
            return Math.max(from, batch.run().next());
        } finally {
            means.budget().give(held);
            held = 0;
        }
    }

    /** Takes for an entry what the read has taken of the budget, and more if that is not enough. */
    private void use(int size) {
        if (size > held) {
            means.budget().takeMore(size - held);
        }
        held = Math.max(0, held - size);
    }

    private Batch read(long from) throws InterruptedException, ExecutionException {
        PartitionLog log = task.log();
        EntryReader.Run run = log.container()
                .<EntryReader.Run>ask(answer -> means.reader().readWithMarkers(log, from, READ_BYTES, answer))
                .get();
        List<Long> ledgers = log.container()
                .ask(() -> run.entries().stream()
                        .map(entry -> log.ledgerAt(entry.base()))
                        .toList())
                .get();
        return new Batch(run, ledgers);
    }

    private void await(InFlight ways, long from) throws InterruptedException, ExecutionException {
        var tail = new ReplicatorCursor.Tail(task.log());
        try {
            CompletableFuture.anyOf(tail.await(from), ways.failure()).get();
        } finally {
            tail.cancel();
        }
    }

    /** Sends the entry if it is for the other cluster. */
    private void send(RemoteProducer to, InFlight ways, EntryReader.Seen entry, long ledger)
            throws IOException, InterruptedException, ExecutionException {
        ByteBuf bytes = entry.bytes();
        int at = bytes.readerIndex();
        long end = entry.base() + entry.offsets();
        if (ClusterMarker.is(bytes, at)) {
            ByteBuf content = ClusterMarker.content(bytes, at);
            Commands.parseMessageMetadata(content.duplicate(), metadata);
            if (isMarkerForThere(content, entry.base())) {
                send(to, ways, end, 0, new RemoteProducer.Outgoing(content, null, ledger, entry.base()));
            } else {
                ways.passes(end);
            }
            return;
        }
        StoredEntry.metadata(bytes, at, metadata);
        subscriptions.dataUpTo(end);
        if (!isForThere()) {
            ways.passes(end);
            return;
        }
        int body = StoredEntry.body(bytes, at);
        ByteBuf content = bytes.slice(at + body, EntryHeader.size(bytes, at) - body);
        int messages = Math.max(1, metadata.getNumMessagesInBatch());
        send(to, ways, end, messages, new RemoteProducer.Outgoing(content, schema(), ledger, entry.base()));
    }

    private void send(RemoteProducer to, InFlight ways, long end, int messages, RemoteProducer.Outgoing outgoing)
            throws IOException, InterruptedException {
        int size = outgoing.content().readableBytes();
        rate.await();
        rate.sent(size);
        use(size);
        RemoteProducer.Sent way = ways.sends(end, size, metadata.getPublishTime());
        to.send(outgoing, why -> {
            if (why == null) {
                sentMessages.addAndGet(messages);
                sentBytes.addAndGet(size);
                progressed = true;
            }
            way.done(why);
        });
    }

    /** Markers of the other cluster are for the partition here; those of a third one its own replicator reads. */
    private boolean isMarkerForThere(ByteBuf content, long offset) {
        if (!metadata.hasReplicatedFrom()) {
            return isNamed();
        }
        if (metadata.getReplicatedFrom().equals(task.cluster())) {
            subscriptions.received(task.cluster(), content, offset);
        }
        return false;
    }

    /** Messages that came from another cluster go no further, so that nothing goes round. */
    private boolean isForThere() {
        if (Markers.isServerOnlyMarker(metadata) || metadata.hasReplicatedFrom()) {
            return false;
        }
        int seconds = means.ttl().of(task.topic());
        boolean expired = seconds > 0 && metadata.getPublishTime() + seconds * 1_000L < System.currentTimeMillis();
        return isNamed() && !expired;
    }

    private boolean isNamed() {
        boolean named = metadata.getReplicateTosCount() == 0;
        for (int i = 0; i < metadata.getReplicateTosCount(); i++) {
            named |= metadata.getReplicateToAt(i).equals(task.cluster());
        }
        return named;
    }

    /** Null if the messages have none, or it was deleted. */
    private @Nullable Schema schema() throws IOException, InterruptedException, ExecutionException {
        if (!metadata.hasSchemaVersion()) {
            return null;
        }
        byte[] version = metadata.getSchemaVersion();
        if (version.length != Long.BYTES) {
            return null;
        }
        long number = ByteBuffer.wrap(version).getLong();
        Schema known = schemas.get(number);
        if (known != null) {
            return known;
        }
        CompletableFuture<TopicSchemas.Answer> asked = new CompletableFuture<>();
        means.schemas().find(task.topic().id(), number, asked::complete);
        switch (asked.get()) {
            case TopicSchemas.Answer.Found found -> {
                schemas.put(number, found.schema().schema());
                return found.schema().schema();
            }
            case TopicSchemas.Answer.Unavailable why -> throw new IOException(why.message());
            case TopicSchemas.Answer.Refused why -> throw new IOException(why.message());
            case TopicSchemas.Answer.None none -> {
                return null;
            }
        }
    }

    /** On the loop. */
    ReplicatorView view() {
        long now = task.log().container().now();
        out.add(sentMessages.getAndSet(0), sentBytes.getAndSet(0));
        RemoteProducer to = producer;
        InFlight ways = inFlight;
        long oldest = ways == null ? -1 : ways.oldestPublished();
        return new ReplicatorView(
                task.cluster(),
                out.view(now),
                cursor.backlog(),
                oldest < 0 ? 0 : Math.max(0, now - oldest),
                isConnected(),
                to == null ? null : to.connection(),
                to == null ? null : to.connectedSince());
    }
}
