package io.sluice.transactions;

import io.sluice.broker.coordination.CoordinatorLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one authority over transactions. A transactional id belongs to the partition of {@value #STATE_TOPIC} that it hashes to,
 * and is answered for by the server of that partition; what one process does not serve it answers with
 * {@link TransactionError#NOT_COORDINATOR}.
 *
 * <p>Any thread; nothing blocks. Futures fail with {@link TransactionException}, and complete on the thread that made the
 * state durable: what is chained to them must be short. See docs/adr/0048.
 */
public final class TransactionAuthority implements AutoCloseable {
    /** Name of the state topic, as Kafka's tools know it. */
    public static final String STATE_TOPIC = "__transaction_state";

    private static final Logger LOG = LoggerFactory.getLogger(TransactionAuthority.class);

    private final TransactionSettings settings;
    private final Environment environment;
    private final List<StatePartition> partitions = new ArrayList<>();
    private final PeriodicWork periodic;
    private final TopicCatalogue.ChangeListener topicListener = this::topicChanged;
    private final Coordinators coordinators;
    private volatile @Nullable PartitionMarkers markers;
    private final TransactionCounts ofSingles = new TransactionCounts();
    private final TransactionCounts ofProducers = new TransactionCounts();
    private final TransactionRoom room;
    private boolean started;

    /**
     * Services that the authority uses.
     *
     * @param producerIds never gives one twice, also not after a crash; may block
     * @param blocking runs what may block
     * @param clock milliseconds since the epoch
     * @param remote participants and coordinators of other nodes
     */
    public record Environment(
            TopicCatalogue topics,
            Partitions partitions,
            LongSupplier producerIds,
            Executor blocking,
            LongSupplier clock,
            RemoteTransactions remote) {
        /** Environment of a server that has the store alone. */
        public Environment(
                TopicCatalogue topics,
                Partitions partitions,
                LongSupplier producerIds,
                Executor blocking,
                LongSupplier clock) {
            this(topics, partitions, producerIds, blocking, clock, RemoteTransactions.NONE);
        }
    }

    /**
     * Finds or creates the state topic. Blocks until it exists.
     *
     * @throws TopicException it could not be created
     */
    public static TransactionAuthority open(TransactionSettings settings, Environment environment)
            throws TopicException, InterruptedException {
        return new TransactionAuthority(settings, environment, stateTopic(settings, environment.topics()));
    }

    private TransactionAuthority(TransactionSettings settings, Environment environment, Topic state) {
        this.settings = settings;
        this.environment = environment;
        this.coordinators = new Coordinators(this::partitionOf, environment.clock(), environment.remote());
        this.room = new TransactionRoom(settings, state.partitions().size(), this::shards, environment.clock());
        for (int p = 0; p < state.partitions().size(); p++) {
            CoordinatorLog log = new CoordinatorLog(
                    STATE_TOPIC + "-" + p,
                    state.partitions().get(p),
                    environment.partitions(),
                    StateRecords.ENTRY_FORMAT);
            partitions.add(new StatePartition(log, environment.clock(), this::newShard));
        }
        this.periodic = new PeriodicWork(
                this::shards, environment.clock(), settings.idExpiry().toMillis());
    }

    private static Topic stateTopic(TransactionSettings settings, TopicCatalogue catalogue)
            throws TopicException, InterruptedException {
        TopicName name = TopicName.ofDefault(STATE_TOPIC);
        try {
            Topic topic = catalogue
                    .getOrCreate(name, settings.statePartitions(), true, true)
                    .get();
            if (!topic.internal()) {
                throw new TopicException(
                        TopicException.Reason.ALREADY_EXISTS,
                        "topic " + STATE_TOPIC
                                + " was made by a client; delete it, the server keeps transactions there");
            }
            return topic;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TopicException refused
                    ? refused
                    : new TopicException(TopicException.Reason.UNAVAILABLE, String.valueOf(e.getCause()));
        }
    }

    private TransactionShard newShard(StateLog log, int epoch) {
        return new TransactionShard(
                log,
                this::mark,
                environment.clock(),
                epoch,
                room,
                new TransactionCounts.ByKind(ofProducers, ofSingles));
    }

    /** Begins to load what is served now, and from then on what {@link #containerServing} says. */
    public synchronized void start(GroupTransactions groups) {
        markers = new PartitionMarkers(environment.topics(), environment.partitions(), groups, environment.remote());
        started = true;
        environment.topics().onChange(topicListener);
        Topic now = environment.topics().find(TopicName.ofDefault(STATE_TOPIC));
        for (int p = 0; now != null && p < partitions.size(); p++) {
            partitions.get(p).relocate(now.partitions().get(p));
        }
        for (StatePartition partition : partitions) {
            if (partition.isServed()) {
                partition.begin();
            }
        }
        periodic.start();
    }

    /** The container has begun a term here. Any thread; does not block. */
    public synchronized void containerServing(int container) {
        for (StatePartition partition : partitions) {
            if (started && partition.container() == container) {
                partition.begin();
            }
        }
    }

    /** The container's term has ended. Any thread; does not block. */
    public synchronized void containerStopped(int container) {
        for (StatePartition partition : partitions) {
            if (partition.container() == container) {
                partition.end();
            }
        }
    }

    /** Partitions that went on in other containers are loaded from there. */
    private synchronized void moved(Topic state) {
        for (int p = 0; p < partitions.size(); p++) {
            StatePartition partition = partitions.get(p);
            if (!partition.relocate(state.partitions().get(p))) {
                continue;
            }
            if (partition.isServed()) {
                partition.begin();
            } else {
                partition.end();
            }
        }
    }

    /** Container of the partition that answers for the id. */
    public int containerOf(String transactionalId) {
        return partitionOf(transactionalId).container();
    }

    /** Whether this process answers for the id, or will as soon as it has loaded. */
    public boolean serves(String transactionalId) {
        return partitionOf(transactionalId).isServed();
    }

    /** Transactions of which each has an id of its own. */
    public SingleTransactions singles() {
        return new SingleTransactions(partitions, environment, ofSingles, coordinators);
    }

    /** Writes a marker as for a transaction of this server's own; for administrators who end what hangs. */
    public void mark(Participant partition, Marker marker, Consumer<Markers.Fate> done) {
        PartitionMarkers writing = markers;
        if (writing == null) {
            done.accept(Markers.Fate.UNKNOWN);
        } else {
            writing.write(partition, marker, done);
        }
    }

    /** Coordinators and participants here, for other nodes to ask. */
    public LocalTransactions local() {
        return new LocalTransactions() {
            @Override
            public void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
                coordinators.askHere(question, answer);
            }

            @Override
            public void mark(Place place, Marker marker, Consumer<Markers.Fate> done) {
                PartitionMarkers writing = markers;
                if (writing == null) {
                    done.accept(Markers.Fate.UNKNOWN);
                } else {
                    writing.writeHere(place, marker, done);
                }
            }
        };
    }

    /**
     * A producer with this id begins: earlier ones are fenced, and what they left open is aborted, for which the caller is told
     * CONCURRENT and comes again.
     *
     * @param expected what the same producer was told last, if it goes on after an error
     */
    public CompletableFuture<ProducerIdentity> init(
            String transactionalId, int timeoutMillis, @Nullable ProducerIdentity expected) {
        if (!isUsable(transactionalId)) {
            return failed(TransactionError.INVALID_REQUEST);
        }
        if (timeoutMillis <= 0 || timeoutMillis > settings.maxTimeout().toMillis()) {
            return failed(TransactionError.INVALID_TIMEOUT);
        }
        return onShard(
                transactionalId,
                TransactionShard::needsIdToInit,
                (shard, spare, answer) -> shard.init(transactionalId, timeoutMillis, expected, spare, answer));
    }

    /**
     * Adds partitions to the producer's transaction, which begins with the first of them.
     *
     * @param bumps whether the producer has a new epoch after each transaction
     */
    public CompletableFuture<ProducerIdentity> add(
            String transactionalId, ProducerIdentity producer, Collection<Participant> added, boolean bumps) {
        if (!isUsable(transactionalId)) {
            return failed(TransactionError.INVALID_REQUEST);
        }
        Set<TopicPartition> partitions =
                added.stream().map(Participant::toKafka).collect(Collectors.toSet());
        return onShard(
                transactionalId,
                (shard, id) -> false,
                (shard, spare, answer) -> shard.add(transactionalId, producer, partitions, bumps, answer));
    }

    /** As {@link #add}, but waits for a moment while the producer's last transaction is being ended, or other partitions are added. */
    public CompletableFuture<ProducerIdentity> join(
            String transactionalId,
            ProducerIdentity producer,
            Collection<Participant> added,
            boolean bumps,
            long waitMillis) {
        if (!isUsable(transactionalId)) {
            return failed(TransactionError.INVALID_REQUEST);
        }
        Set<TopicPartition> partitions =
                added.stream().map(Participant::toKafka).collect(Collectors.toSet());
        long deadline = environment.clock().getAsLong() + waitMillis;
        return onShard(
                transactionalId,
                (shard, id) -> false,
                (shard, spare, answer) ->
                        shard.join(transactionalId, new Joining(producer, bumps, partitions, deadline, answer)));
    }

    /**
     * Asks the coordinator of the transaction, at whichever node it is.
     *
     * @param answer null for yes, else why not; called once, on any thread, at once where this process answers for the id and has nothing to
     *     write, and does not block
     */
    public void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        if (isUsable(question.transactionalId())) {
            coordinators.ask(question, answer);
        } else {
            answer.accept(TransactionError.INVALID_REQUEST);
        }
    }

    /**
     * Whether the partition is part of the producer's open transaction, of which this process is the coordinator.
     *
     * @return null if it is, else why not
     */
    public @Nullable TransactionError verify(String transactionalId, ProducerIdentity producer, Participant partition) {
        if (!isUsable(transactionalId)) {
            return TransactionError.INVALID_REQUEST;
        }
        StatePartition state = partitionOf(transactionalId);
        TransactionShard shard = state.shard();
        return shard == null
                ? state.absence()
                : shard.verify(transactionalId, TransactionUser.ANY, producer, partition.toKafka());
    }

    /**
     * Ends the producer's transaction. Complete when the outcome is durable; it is carried out afterwards.
     *
     * @param bumps as for {@link #add}
     * @return what the producer goes on as
     */
    public CompletableFuture<ProducerIdentity> end(
            String transactionalId, ProducerIdentity producer, boolean commit, boolean bumps) {
        if (!isUsable(transactionalId)) {
            return failed(TransactionError.INVALID_REQUEST);
        }
        return onShard(
                transactionalId,
                TransactionShard::needsIdToEnd,
                (shard, spare, answer) -> shard.end(transactionalId, producer, commit, bumps, spare, answer));
    }

    /** @throws TransactionException also UNKNOWN_ID */
    public TransactionDescription describe(String transactionalId) {
        if (transactionalId.isEmpty()) {
            throw new TransactionException(TransactionError.INVALID_REQUEST);
        }
        StatePartition state = partitionOf(transactionalId);
        TransactionShard shard = state.shard();
        if (shard == null) {
            throw new TransactionException(state.absence());
        }
        TransactionDescription found = shard.describe(transactionalId);
        if (found == null) {
            throw new TransactionException(TransactionError.UNKNOWN_ID);
        }
        return found;
    }

    /**
     * Transactions that this process coordinates.
     *
     * @throws TransactionException LOADING
     */
    public List<TransactionDescription> list(Predicate<TransactionDescription> wanted) {
        List<TransactionDescription> found = new ArrayList<>();
        for (StatePartition partition : partitions) {
            TransactionShard shard = partition.shard();
            if (shard != null) {
                shard.all().stream().filter(wanted).forEach(found::add);
            } else if (partition.isServed()) {
                throw new TransactionException(TransactionError.LOADING);
            }
        }
        return found;
    }

    /** Error of a failed future. */
    public static TransactionError errorOf(Throwable failure) {
        return StoreException.causeOf(failure) instanceof TransactionException refused
                ? refused.error()
                : TransactionError.FAILED;
    }

    /** Ids known to the shards that are loaded. */
    public int knownIds() {
        int known = 0;
        for (TransactionShard shard : shards()) {
            known += shard.size();
        }
        return known;
    }

    /** Transactions of producers with a transactional id, since the start. */
    public TransactionCounts counts() {
        return ofProducers;
    }

    /** Number of open transactions in the loaded shards. */
    public int open() {
        return shards().stream().mapToInt(shard -> shard.open().count(false)).sum();
    }

    /** For how long the eldest of them has been open, milliseconds; 0 if none is. */
    public long eldestOpenMillis() {
        long began = shards().stream()
                .mapToLong(shard -> shard.open().eldestBegan())
                .min()
                .orElse(Long.MAX_VALUE);
        return began == Long.MAX_VALUE ? 0 : Math.max(0, environment.clock().getAsLong() - began);
    }

    private List<TransactionShard> shards() {
        return partitions.stream()
                .map(StatePartition::loaded)
                .filter(Objects::nonNull)
                .toList();
    }

    private interface Call {
        void on(TransactionShard shard, long spareId, CallAnswer answer);
    }

    private CompletableFuture<ProducerIdentity> onShard(
            String transactionalId, BiPredicate<TransactionShard, String> needsProducerId, Call call) {
        StatePartition state = partitionOf(transactionalId);
        TransactionShard shard = state.shard();
        if (shard == null) {
            return failed(state.absence());
        }
        FutureAnswer answer = new FutureAnswer();
        if (needsProducerId.test(shard, transactionalId)) {
            environment.blocking().execute(() -> {
                try {
                    call.on(shard, environment.producerIds().getAsLong(), answer);
                } catch (RuntimeException e) {
                    LOG.warn("No producer id could be allocated: {}", e.toString());
                    answer.refused(TransactionError.UNAVAILABLE);
                }
            });
        } else {
            call.on(shard, TransactionalId.NO_SPARE, answer);
        }
        return answer;
    }

    static <T> CompletableFuture<T> failed(TransactionError why) {
        return CompletableFuture.failedFuture(new TransactionException(why));
    }

    /** Whether clients may use the id: ids of single transactions are internal. */
    private static boolean isUsable(String transactionalId) {
        return !transactionalId.isEmpty() && !SingleTransaction.isId(transactionalId);
    }

    /** As Kafka's coordinator hashes, but for single transactions, which say where they belong. */
    private StatePartition partitionOf(String transactionalId) {
        SingleTransaction single = SingleTransaction.ofId(transactionalId);
        if (single != null && single.coordinator() < partitions.size()) {
            return partitions.get((int) single.coordinator());
        }
        return partitions.get(Utils.abs(transactionalId.hashCode()) % partitions.size());
    }

    private void topicChanged(TopicName name, @Nullable Topic topic) {
        if (topic != null && topic.internal() && name.equals(TopicName.ofDefault(STATE_TOPIC))) {
            moved(topic);
        }
    }

    @Override
    public void close() {
        environment.topics().offChange(topicListener);
        periodic.close();
        partitions.forEach(StatePartition::end);
    }
}
