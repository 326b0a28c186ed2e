package io.sluice.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.LocalTransactions.Place;
import io.sluice.transactions.Markers.Fate;
import io.sluice.transactions.TransactionQuestion.Adding;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A coordinator at one of two nodes, participants at both. */
@Timeout(60)
class TwoAuthoritiesTest {
    private static final String GROUPS = "groups";
    private static final long SOON = 30;

    private TwoAuthorities nodes;
    private Topic topic;

    @BeforeEach
    void start() throws Exception {
        nodes = new TwoAuthorities(GROUPS);
        topic = nodes.broker().createTopic("t", 4);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(5_000_000);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    private static <T> T whenLoaded(Supplier<CompletableFuture<T>> call) {
        while (true) {
            try {
                return call.get().join();
            } catch (CompletionException e) {
                assertThat(TransactionAuthority.errorOf(e)).isEqualTo(TransactionError.LOADING);
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    /** A partition at the node. */
    private int partitionAt(int node) {
        return first(p -> topic.partitions().get(p).container() % 2 == node - 1);
    }

    private static int first(IntPredicate wanted) {
        return IntStream.range(0, 100).filter(wanted).findFirst().orElseThrow();
    }

    /** A transactional id that the node coordinates. */
    private String idAt(int node) {
        return "id-" + first(i -> nodes.authority(1).containerOf("id-" + i) % 2 == node - 1);
    }

    private static <T extends @Nullable Object> T get(CompletableFuture<T> future) {
        try {
            return future.get(SOON, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private @Nullable TransactionError ask(int node, TransactionQuestion question) {
        CompletableFuture<@Nullable TransactionError> answer = new CompletableFuture<>();
        nodes.authority(node).ask(question, answer::complete);
        return get(answer);
    }

    private Fate mark(int node, Participant partition, Marker marker) {
        CompletableFuture<Fate> fate = new CompletableFuture<>();
        nodes.authority(node).mark(partition, marker, fate::complete);
        return get(fate);
    }

    /** As a gateway does with the first entry of a transaction. */
    private void append(int partition, ProducerIdentity producer) {
        append(partition, producer, 0);
    }

    private void append(int partition, ProducerIdentity producer, int sequence) {
        PartitionLog log = nodes.broker().partition("t", partition);
        CompletableFuture<Long> appended = new CompletableFuture<>();
        nodes.broker().onLoop(log, () -> {
            log.transactions().verified(log.transactions().verify(producer.id(), producer.epoch()));
            ByteBuf entry = TestEntries.kafka(producer.id(), producer.epoch(), sequence, 1, 10, 1_000);
            log.append(entry.setShort(EntryHeader.CRC_FROM, EntryHeader.TRANSACTIONAL), new Told(appended));
            return true;
        });
        get(appended);
    }

    private record Told(CompletableFuture<Long> done) implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {
            done.complete(baseOffset);
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            done.complete(baseOffset);
        }

        @Override
        public void rejected(AppendRejection why) {
            done.completeExceptionally(new AssertionError(why.message()));
        }

        @Override
        public void failed(StoreFailure why) {
            done.completeExceptionally(new AssertionError(why.message()));
        }
    }

    private int open(int partition) {
        PartitionLog log = nodes.broker().partition("t", partition);
        return nodes.broker().onLoop(log, () -> log.transactions().openTransactions());
    }

    @Test
    void participantsAskTheCoordinatorAtTheOtherNode() {
        for (int coordinator = 1; coordinator <= 2; coordinator++) {
            int participant = 3 - coordinator;
            String id = idAt(coordinator);
            TransactionAuthority authority = nodes.authority(coordinator);
            ProducerIdentity producer = whenLoaded(() -> authority.init(id, 60_000, null));
            Participant partition = new Participant("t", partitionAt(participant));
            var verify = new TransactionQuestion(id, producer, partition, null);
            assertThat(ask(participant, verify)).isEqualTo(TransactionError.NOT_A_PARTICIPANT);
            assertThat(ask(participant, new TransactionQuestion(id, producer, partition, new Adding(true, 100))))
                    .isNull();
            assertThat(ask(participant, verify)).isNull();
            assertThat(ask(coordinator, verify)).isNull();
            var later = new ProducerIdentity(producer.id(), (short) (producer.epoch() + 1));
            assertThat(ask(participant, new TransactionQuestion(id, later, partition, null)))
                    .isEqualTo(TransactionError.FENCED);
            assertThat(ask(participant, new TransactionQuestion("nobody-" + id, producer, partition, null)))
                    .isEqualTo(TransactionError.UNKNOWN_PRODUCER);
            assertThat(nodes.authority(participant).verify(id, producer, partition))
                    .isEqualTo(TransactionError.NOT_COORDINATOR);

            nodes.peers().cut(true);
            assertThat(ask(participant, verify)).isEqualTo(TransactionError.UNAVAILABLE);
            nodes.peers().cut(false);
        }
    }

    @Test
    void singleTransactionsAreVerifiedAtTheOtherNode() {
        for (long coordinator = 0; coordinator < 2; coordinator++) {
            long of = coordinator;
            int node = nodes.authority(1).singles().check(of) == TransactionError.NOT_COORDINATOR ? 2 : 1;
            SingleTransaction single =
                    whenLoaded(() -> nodes.authority(node).singles().begin(of, 60_000, "alice"));
            Participant partition = new Participant("t", partitionAt(3 - node), "subscription");
            get(nodes.authority(node).singles().add(single, TransactionUser.ANY, List.of(partition)));
            CompletableFuture<@Nullable TransactionError> answer = new CompletableFuture<>();
            nodes.authority(3 - node).singles().verify(single, "alice", partition, answer::complete);
            assertThat(get(answer)).isNull();
            CompletableFuture<@Nullable TransactionError> any = new CompletableFuture<>();
            nodes.authority(3 - node).singles().verify(single, null, partition, any::complete);
            assertThat(get(any)).isNull();
            CompletableFuture<@Nullable TransactionError> stranger = new CompletableFuture<>();
            nodes.authority(3 - node).singles().verify(single, "bob", partition, stranger::complete);
            assertThat(get(stranger)).isEqualTo(TransactionError.NOT_OWNER);
            get(nodes.authority(node).singles().end(single, TransactionUser.ANY, true));
            CompletableFuture<@Nullable TransactionError> ended = new CompletableFuture<>();
            nodes.authority(3 - node).singles().verify(single, "alice", partition, ended::complete);
            assertThat(get(ended)).isNotNull();
        }
    }

    @Test
    void anOutcomeReachesPartitionsOfBothNodes() {
        for (int coordinator = 1; coordinator <= 2; coordinator++) {
            String id = idAt(coordinator);
            TransactionAuthority authority = nodes.authority(coordinator);
            ProducerIdentity producer = whenLoaded(() -> authority.init(id, 60_000, null));
            var all =
                    IntStream.range(0, 4).mapToObj(p -> new Participant("t", p)).toList();
            get(authority.add(id, producer, all, true));
            all.forEach(each -> append(each.partition(), producer));
            assertThat(IntStream.range(0, 4).map(this::open)).containsOnly(1);

            nodes.peers().cut(true);
            get(authority.end(id, producer, true, true));
            int here = partitionAt(coordinator);
            await(() -> open(here) == 0);
            assertThat(open(partitionAt(3 - coordinator))).isEqualTo(1);
            assertThat(authority.describe(id).state()).isEqualTo("PrepareCommit");

            nodes.peers().cut(false);
            await(() -> IntStream.range(0, 4).map(this::open).sum() == 0);
            await(() -> authority.describe(id).state().equals("CompleteCommit"));
        }
    }

    /** As after a crash: the next node of the coordinator's log finds the outcome there. */
    @Test
    void theNextCoordinatorCarriesOutWhatIsPrepared() {
        String id = idAt(1);
        ProducerIdentity producer = whenLoaded(() -> nodes.authority(1).init(id, 60_000, null));
        Participant partition = new Participant("t", partitionAt(2));
        get(nodes.authority(1).add(id, producer, List.of(partition), true));
        append(partition.partition(), producer);
        nodes.peers().cut(true);
        get(nodes.authority(1).end(id, producer, false, true));
        assertThat(open(partition.partition())).isEqualTo(1);

        nodes.handOver(nodes.authority(1).containerOf(id));
        await(() -> open(partition.partition()) == 0);
        await(() -> nodes.authority(2).verify(id, producer, partition) != TransactionError.LOADING);
        assertThat(nodes.authority(2).describe(id).producer().id()).isEqualTo(producer.id());
    }

    @Test
    void groupOffsetsAreMarkedByTheGroupsCoordinatorAtTheOtherNode() {
        Topic groups = nodes.broker()
                .catalogue()
                .create(TopicName.ofDefault(GROUPS), 4, true, true, java.util.Map.of())
                .join();
        Marker marker = new Marker(new ProducerIdentity(7, (short) 0), 1, true);
        for (int p = 0; p < 4; p++) {
            int owner = groups.partitions().get(p).container() % 2 + 1;
            assertThat(mark(1, new Participant(GROUPS, p), marker)).isEqualTo(Fate.WRITTEN);
            assertThat(nodes.groupMarkers(owner)).last().isEqualTo(new TwoAuthorities.Marked(p, marker));
        }
        assertThat(nodes.groupMarkers(1).size() + nodes.groupMarkers(2).size()).isEqualTo(4);
    }

    @Test
    void whatIsGoneNeedsNoMarker() {
        Marker marker = new Marker(new ProducerIdentity(7, (short) 0), 1, true);
        assertThat(mark(1, new Participant("gone", 0), marker)).isEqualTo(Fate.NOT_NEEDED);
        assertThat(mark(1, new Participant("t", 4), marker)).isEqualTo(Fate.NOT_NEEDED);
        int there = partitionAt(2);
        assertThat(mark(1, new Participant("t", there, "no-subscription"), marker))
                .isEqualTo(Fate.WRITTEN);
        assertThat(mark(1, new Participant("t", there), marker)).isEqualTo(Fate.WRITTEN);
    }

    private Fate markHere(int node, Place place, Marker marker) {
        CompletableFuture<Fate> fate = new CompletableFuture<>();
        nodes.authority(node).local().mark(place, marker, fate::complete);
        return get(fate);
    }

    @Test
    void aMarkerForAnotherTermOrSegmentIsNotWritten() {
        int there = partitionAt(2);
        Participant partition = new Participant("t", there);
        Topic.Placement placement = topic.partitions().get(there);
        long term = nodes.broker().partition("t", there).container().term();
        Marker marker = new Marker(new ProducerIdentity(7, (short) 0), 1, true);
        assertThat(markHere(2, new Place(partition, placement.segment(), term - 1), marker))
                .isEqualTo(Fate.UNKNOWN);
        assertThat(markHere(2, new Place(partition, placement.segment() + 100, term), marker))
                .isEqualTo(Fate.UNKNOWN);
        assertThat(markHere(1, new Place(partition, placement.segment(), term), marker))
                .isEqualTo(Fate.UNKNOWN);
        assertThat(markHere(2, new Place(partition, placement.segment(), term), marker))
                .isEqualTo(Fate.WRITTEN);

        nodes.handOver(placement.container());
        nodes.handOver(placement.container());
        assertThat(markHere(2, new Place(partition, placement.segment(), term), marker))
                .isEqualTo(Fate.UNKNOWN);
        assertThat(mark(1, partition, marker)).isEqualTo(Fate.WRITTEN);
    }

    /** It may come late, when the producer's next transaction is open. */
    @Test
    void aMarkerOfAnEarlierCoordinatorIsRefused() {
        int there = partitionAt(2);
        Participant partition = new Participant("t", there);
        ProducerIdentity producer = new ProducerIdentity(7, (short) 0);
        append(there, producer);
        assertThat(mark(1, partition, new Marker(producer, 5, true))).isEqualTo(Fate.WRITTEN);
        append(there, producer, 1);
        assertThat(mark(1, partition, new Marker(producer, 4, false))).isEqualTo(Fate.NOT_NEEDED);
        assertThat(open(there)).isEqualTo(1);
    }

    @Test
    void aNodeThatDoesNotAnswerIsGivenUpWhenAnotherServesThePartition() {
        int there = partitionAt(2);
        Participant partition = new Participant("t", there);
        Marker marker = new Marker(new ProducerIdentity(7, (short) 0), 1, true);
        CompletableFuture<Fate> fate = new CompletableFuture<>();
        nodes.peers().hang(true);
        nodes.authority(1).mark(partition, marker, fate::complete);
        assertThat(fate).isNotDone();
        nodes.peers().hang(false);
        nodes.handOver(topic.partitions().get(there).container());
        assertThat(get(fate)).isEqualTo(Fate.UNKNOWN);
        assertThat(mark(1, partition, marker)).isEqualTo(Fate.WRITTEN);
        assertThat(mark(2, partition, marker)).isEqualTo(Fate.WRITTEN);
    }
}
