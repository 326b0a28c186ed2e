package io.sluice.kafka.coordinator.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.AppendedOffset;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaCoordinators;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.AddPartitionsToTxnResponse;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of transactions one by one, in every version, and out of turn: answered as by Kafka's coordinator. */
class TransactionRequestsTest {
    private static final int TIMEOUT = 60_000;

    /** Transactional ids of producers that are known at most. */
    private static final int PRODUCERS = 100;

    private static final short NEW_END = 5;
    private static final short OLD_END = 4;

    private final TestBroker broker = TestBroker.start();
    private KafkaCoordinators coordinators;
    private Map<ApiKeys, Api> handlers;

    private record Producer(long id, short epoch) {}

    @BeforeEach
    void start() throws Exception {
        broker.createTopic("t", 2);
        var cluster = new SingleNode("cluster", 7);
        cluster.advertise(ClusterNode.KAFKA, new Endpoint("here", 9092));
        AtomicLong ids = new AtomicLong(1000);
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                ids::getAndIncrement,
                Runnable::run,
                System::currentTimeMillis,
                cluster);
        TransactionSettings of = TransactionSettings.DEFAULT;
        var settings = new TransactionSettings(of.statePartitions(), of.maxTimeout(), of.idExpiry(), 2 * PRODUCERS);
        TransactionAuthority authority = TransactionAuthority.open(
                settings,
                new TransactionAuthority.Environment(
                        services.topics(),
                        services.partitions(),
                        services.producerIds(),
                        services.blocking(),
                        services.clock()));
        coordinators = KafkaCoordinators.start(authority, GroupSettings.DEFAULT, services, Time.SYSTEM);
        handlers = coordinators.handlers().stream().collect(Collectors.toMap(Api::key, Function.identity()));
        await().until(() -> list().errorCode() == Errors.NONE.code());
    }

    @AfterEach
    void stop() {
        coordinators.close();
        broker.close();
    }

    private AbstractResponse ask(ApiKeys api, int version, ApiMessage request) {
        return Asked.ask((ApiHandler) handler(api), version, request);
    }

    private Api handler(ApiKeys api) {
        return Objects.requireNonNull(handlers.get(api));
    }

    private int newest(ApiKeys api) {
        return handler(api).maxVersion();
    }

    private ListTransactionsResponseData list() {
        ApiMessage asked = new ListTransactionsRequestData();
        return (ListTransactionsResponseData)
                ask(ApiKeys.LIST_TRANSACTIONS, 0, asked).data();
    }

    private InitProducerIdResponseData tryInit(int version, String id, int timeout, @Nullable Producer last) {
        InitProducerIdRequestData asked =
                new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(timeout);
        if (last != null) {
            asked.setProducerId(last.id).setProducerEpoch(last.epoch);
        }
        return (InitProducerIdResponseData)
                ask(ApiKeys.INIT_PRODUCER_ID, version, asked).data();
    }

    private Producer init(int version, String id) {
        InitProducerIdResponseData answer = await().until(
                        () -> tryInit(version, id, TIMEOUT, null),
                        init -> errorOf(init) != Errors.CONCURRENT_TRANSACTIONS);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        return new Producer(answer.producerId(), answer.producerEpoch());
    }

    private Errors add(int version, String id, Producer producer, String topic, int partition) {
        var topics = new AddPartitionsToTxnTopicCollection(
                List.of(new AddPartitionsToTxnTopic().setName(topic).setPartitions(List.of(partition)))
                        .iterator());
        AddPartitionsToTxnRequestData asked = new AddPartitionsToTxnRequestData();
        if (version < 4) {
            asked.setV3AndBelowTransactionalId(id)
                    .setV3AndBelowProducerId(producer.id)
                    .setV3AndBelowProducerEpoch(producer.epoch)
                    .setV3AndBelowTopics(topics);
        } else {
            asked.transactions()
                    .add(new AddPartitionsToTxnTransaction()
                            .setTransactionalId(id)
                            .setProducerId(producer.id)
                            .setProducerEpoch(producer.epoch)
                            .setTopics(topics));
        }
        var answer = (AddPartitionsToTxnResponse) ask(ApiKeys.ADD_PARTITIONS_TO_TXN, version, asked);
        String key = version < 4 ? AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID : id;
        return Objects.requireNonNull(
                Objects.requireNonNull(answer.errors().get(key)).get(new TopicPartition(topic, partition)));
    }

    private EndTxnResponseData tryEnd(int version, String id, Producer producer, boolean commit) {
        ApiMessage asked = new EndTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setCommitted(commit);
        return (EndTxnResponseData) ask(ApiKeys.END_TXN, version, asked).data();
    }

    private Errors end(int version, String id, Producer producer, boolean commit) {
        return await().until(
                        () -> endOnce(version, id, producer, commit), ended -> ended != Errors.CONCURRENT_TRANSACTIONS);
    }

    private Errors endOnce(int version, String id, Producer producer, boolean commit) {
        return Errors.forCode(tryEnd(version, id, producer, commit).errorCode());
    }

    @Test
    void everyVersionOfEveryRequestIsAnswered() {
        for (int version = 0; version <= newest(ApiKeys.FIND_COORDINATOR); version++) {
            FindCoordinatorRequestData asked = new FindCoordinatorRequestData();
            if (version >= 4) {
                asked.setCoordinatorKeys(List.of("id"));
            } else {
                asked.setKey("id");
            }
            if (version >= 1) {
                asked.setKeyType((byte) 1);
            }
            assertThat(ask(ApiKeys.FIND_COORDINATOR, version, asked).errorCounts())
                    .containsOnlyKeys(Errors.NONE);
        }
        for (int version = 0; version <= newest(ApiKeys.INIT_PRODUCER_ID); version++) {
            assertThat(init(version, "init-" + version).epoch()).isZero();
        }
        for (int version = 0; version <= newest(ApiKeys.ADD_PARTITIONS_TO_TXN); version++) {
            Producer producer = init(3, "add-" + version);
            assertThat(add(version, "add-" + version, producer, "t", 0)).isEqualTo(Errors.NONE);
        }
        for (int version = 0; version <= newest(ApiKeys.END_TXN); version++) {
            Producer producer = init(3, "end-" + version);
            add(3, "end-" + version, producer, "t", 0);
            assertThat(endOnce(version, "end-" + version, producer, true)).isEqualTo(Errors.NONE);
        }
        for (int version = 0; version <= newest(ApiKeys.ADD_OFFSETS_TO_TXN); version++) {
            Producer producer = init(3, "offsets-" + version);
            ApiMessage asked = new AddOffsetsToTxnRequestData()
                    .setTransactionalId("offsets-" + version)
                    .setProducerId(producer.id)
                    .setProducerEpoch(producer.epoch)
                    .setGroupId("g");
            assertThat(ask(ApiKeys.ADD_OFFSETS_TO_TXN, version, asked).errorCounts())
                    .containsOnlyKeys(Errors.NONE);
        }
        for (int version = 0; version <= newest(ApiKeys.TXN_OFFSET_COMMIT); version++) {
            assertThat(commitOffset(version, "commit-" + version)).isEqualTo(Errors.NONE);
        }
        for (int version = 0; version <= newest(ApiKeys.LIST_TRANSACTIONS); version++) {
            assertThat(ask(ApiKeys.LIST_TRANSACTIONS, version, new ListTransactionsRequestData())
                            .errorCounts())
                    .containsOnlyKeys(Errors.NONE);
        }
        assertThat(ask(
                                ApiKeys.DESCRIBE_TRANSACTIONS,
                                0,
                                new DescribeTransactionsRequestData()
                                        .setTransactionalIds(List.of("init-0", "missing", "")))
                        .errorCounts())
                .containsOnlyKeys(Errors.NONE, Errors.TRANSACTIONAL_ID_NOT_FOUND, Errors.INVALID_REQUEST);
        for (int version = 1; version <= newest(ApiKeys.WRITE_TXN_MARKERS); version++) {
            assertThat(ask(ApiKeys.WRITE_TXN_MARKERS, version, marker(5)).errorCounts())
                    .containsOnlyKeys(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    @Test
    void aMarkerOfNoProducerIsRefused() {
        assertThat(ask(ApiKeys.WRITE_TXN_MARKERS, newest(ApiKeys.WRITE_TXN_MARKERS), marker(-1))
                        .errorCounts())
                .containsOnlyKeys(Errors.INVALID_REQUEST);
    }

    /** An error after which producers ask again until their own time-out, and begin when an id was forgotten. */
    @Test
    void aProducerForWhoseIdThereIsNoRoomIsToldToAskAgain() {
        for (int n = 0; n < PRODUCERS; n++) {
            init(3, "id-" + n);
        }
        for (int version = 0; version <= newest(ApiKeys.INIT_PRODUCER_ID); version++) {
            assertThat(errorOf(tryInit(version, "one more", TIMEOUT, null)))
                    .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        }
        assertThat(errorOf(tryInit(3, "id-0", TIMEOUT, null))).isEqualTo(Errors.NONE);
    }

    @Test
    void aMarkerWaitsItsTurnWhileTheCacheIsFull() throws Exception {
        InMemoryContainer container =
                broker.containers().get(broker.partition("t", 0).container().id());
        container.fill();
        var answer = CompletableFuture.supplyAsync(
                () -> ask(ApiKeys.WRITE_TXN_MARKERS, newest(ApiKeys.WRITE_TXN_MARKERS), marker(5)));
        await().until(() -> container.appendsWithoutRoom() > 0);
        container.makeRoom();
        assertThat(answer.get(30, TimeUnit.SECONDS).errorCounts())
                .containsOnlyKeys(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    private static WriteTxnMarkersRequestData marker(long producerId) {
        return new WriteTxnMarkersRequestData()
                .setMarkers(List.of(new WritableTxnMarker()
                        .setProducerId(producerId)
                        .setProducerEpoch((short) 0)
                        .setCoordinatorEpoch(0)
                        .setTransactionResult(false)
                        .setTopics(List.of(
                                new WritableTxnMarkerTopic().setName("t").setPartitionIndexes(List.of(0, 9)),
                                new WritableTxnMarkerTopic().setName("missing").setPartitionIndexes(List.of(0))))));
    }

    /** By name; versions that name topics by id get the id. */
    private Errors commitOffset(int version, String id) {
        return commitOffset(version, id, init(3, id), "g");
    }

    private Errors commitOffset(int version, String id, Producer producer, String group) {
        ApiMessage joined = new AddOffsetsToTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setGroupId(group);
        if (version < 5 || group.equals("g")) {
            ask(ApiKeys.ADD_OFFSETS_TO_TXN, 3, joined);
        }
        Topic topic = Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault("t")));
        TxnOffsetCommitRequestTopic offsets = new TxnOffsetCommitRequestTopic()
                .setName("t")
                .setPartitions(List.of(new TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(0)
                        .setCommittedOffset(3)
                        .setCommittedMetadata("")));
        if (version >= 6) {
            offsets.setTopicId(KafkaServices.kafkaId(topic));
        }
        TxnOffsetCommitRequestData asked = new TxnOffsetCommitRequestData()
                .setTransactionalId(id)
                .setGroupId(group)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setTopics(List.of(offsets));
        return ask(ApiKeys.TXN_OFFSET_COMMIT, version, asked)
                .errorCounts()
                .keySet()
                .iterator()
                .next();
    }

    /** By clients of the earlier protocol, which keep their epoch, and by those of the later. */
    @Test
    void subscriptionsMoveByEveryVersion() {
        PartitionLog log = Objects.requireNonNull(broker.partitions().find(TopicName.ofDefault("t"), 0));
        var appended = new CompletableFuture<Long>();
        broker.onLoop(log, () -> {
            log.append(TestEntries.plain(3, 1, 1_000_000), new AppendedOffset(appended));
            return true;
        });
        appended.join();
        for (int version = 0; version <= newest(ApiKeys.TXN_OFFSET_COMMIT); version++) {
            moveByTransactions(log, version, "moves-" + version);
        }
    }

    private void moveByTransactions(PartitionLog log, int version, String id) {
        int toEnd = version < 5 ? OLD_END : NEW_END;
        Producer producer = init(3, id);
        broker.onLoop(log, () -> log.subscriptions().create(id, 0, Map.of(), Durable.IGNORED));
        Cursor cursor = Objects.requireNonNull(log.subscriptions().find(id));
        for (boolean commit : new boolean[] {false, true}) {
            Producer sending = producer;
            await().until(() -> commitOffset(version, id, sending, "_sub.t/" + id) == Errors.NONE);
            assertThat(broker.onLoop(log, cursor::ackedBelow)).isZero();
            EndTxnResponseData ended = tryEnd(toEnd, id, producer, commit);
            assertThat(Errors.forCode(ended.errorCode())).isEqualTo(Errors.NONE);
            await().until(() -> broker.onLoop(log, cursor::pendingTransactions) == 0);
            assertThat(broker.onLoop(log, cursor::ackedBelow)).isEqualTo(commit ? 3 : 0);
            producer = version < 5 ? producer : new Producer(ended.producerId(), ended.producerEpoch());
        }
    }

    @Test
    void unknownIdsAndStaleEpochsAreTold() {
        init(4, "id");
        Producer producer = init(4, "id");
        Producer stranger = new Producer(producer.id + 50, producer.epoch);
        Producer stale = new Producer(producer.id, (short) (producer.epoch - 1));

        assertThat(add(3, "missing", producer, "t", 0)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(add(3, "id", stranger, "t", 0)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(add(1, "id", stale, "t", 0)).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(add(3, "id", stale, "t", 0)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(add(3, "id", producer, "missing", 0)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(add(3, "id", producer, "t", 2)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(add(3, "id", producer, "__consumer_offsets", 0)).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED);
        assertThat(endOnce(1, "id", stale, true)).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(endOnce(NEW_END, "id", stale, true)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(endOnce(NEW_END, "missing", producer, true)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
    }

    @Test
    void initIsRefusedWithTheReason() {
        init(4, "id");
        init(4, "id");
        Producer producer = init(4, "id");

        assertThat(errorOf(tryInit(4, "", TIMEOUT, null))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(errorOf(tryInit(4, "id", 0, null))).isEqualTo(Errors.INVALID_TRANSACTION_TIMEOUT);
        assertThat(errorOf(tryInit(4, "id", 900_001, null))).isEqualTo(Errors.INVALID_TRANSACTION_TIMEOUT);
        Producer stale = new Producer(producer.id, (short) (producer.epoch - 2));
        assertThat(errorOf(tryInit(4, "id", TIMEOUT, stale))).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(errorOf(tryInit(3, "id", TIMEOUT, stale))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(tryInit(4, "id", TIMEOUT, producer).producerEpoch()).isEqualTo((short) (producer.epoch + 1));
    }

    private static Errors errorOf(InitProducerIdResponseData answer) {
        return Errors.forCode(answer.errorCode());
    }

    @Test
    void endsOfTheOlderProtocolMayBeRepeated() {
        Producer producer = init(3, "id");

        assertThat(endOnce(OLD_END, "id", producer, true)).isEqualTo(Errors.INVALID_TXN_STATE);
        add(3, "id", producer, "t", 0);
        assertThat(end(OLD_END, "id", producer, true)).isEqualTo(Errors.NONE);
        assertThat(end(OLD_END, "id", producer, false)).isEqualTo(Errors.INVALID_TXN_STATE);
        await().until(() -> add(3, "id", producer, "t", 1) == Errors.NONE);
        assertThat(end(OLD_END, "id", producer, false)).isEqualTo(Errors.NONE);
    }

    @Test
    void endsOfTheNewerProtocolRaiseTheEpoch() {
        Producer producer = init(4, "id");
        add(3, "id", producer, "t", 0);

        EndTxnResponseData ended = tryEnd(NEW_END, "id", producer, true);

        assertThat(ended.errorCode()).isZero();
        assertThat(ended.producerId()).isEqualTo(producer.id);
        assertThat(ended.producerEpoch()).isEqualTo((short) (producer.epoch + 1));
        // The same call again, then what is not the same.
        assertThat(end(NEW_END, "id", producer, true)).isEqualTo(Errors.NONE);
        assertThat(end(NEW_END, "id", producer, false)).isEqualTo(Errors.INVALID_TXN_STATE);
        Producer next = new Producer(ended.producerId(), ended.producerEpoch());
        assertThat(endOnce(NEW_END, "id", next, true)).isEqualTo(Errors.INVALID_TXN_STATE);
        assertThat(endOnce(NEW_END, "id", next, false)).isEqualTo(Errors.NONE);
    }

    @Test
    void aNewProducerAbortsWhatTheLastOneLeftOpen() {
        Producer first = init(4, "id");
        add(3, "id", first, "t", 0);

        assertThat(errorOf(tryInit(4, "id", TIMEOUT, null))).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        Producer second = init(4, "id");

        assertThat(second.id).isEqualTo(first.id);
        assertThat(second.epoch).isEqualTo((short) (first.epoch + 2));
        assertThat(endOnce(NEW_END, "id", first, true)).isEqualTo(Errors.PRODUCER_FENCED);
    }

    /** KIP-360: it goes on after an error, and is none of those that are fenced. */
    @Test
    void aProducerThatBeginsAnewAbortsWhatItLeftOpenItself() {
        Producer producer = init(4, "id");
        add(3, "id", producer, "t", 0);

        InitProducerIdResponseData answer = await().until(
                        () -> tryInit(4, "id", TIMEOUT, producer),
                        init -> errorOf(init) != Errors.CONCURRENT_TRANSACTIONS);

        assertThat(errorOf(answer)).isEqualTo(Errors.NONE);
        assertThat(answer.producerId()).isEqualTo(producer.id);
        assertThat(answer.producerEpoch()).isEqualTo((short) (producer.epoch + 1));
    }

    @Test
    void whatTheServerAbortsAfterItsTimeMayBeAbortedAgainButNotCommitted() {
        InitProducerIdResponseData answer = tryInit(4, "id", 1, null);
        Producer producer = new Producer(answer.producerId(), answer.producerEpoch());
        add(3, "id", producer, "t", 0);
        await().until(() ->
                list().transactionStates().getFirst().transactionState().equals("CompleteAbort"));

        assertThat(endOnce(NEW_END, "id", producer, true)).isEqualTo(Errors.PRODUCER_FENCED);
        EndTxnResponseData ended = tryEnd(NEW_END, "id", producer, false);
        assertThat(ended.errorCode()).isZero();
        assertThat(ended.producerEpoch()).isEqualTo((short) (producer.epoch + 1));
    }

    @Test
    void transactionsAreListedByFilters() {
        Producer producer = init(4, "orders-1");
        init(4, "payments-1");
        add(3, "orders-1", producer, "t", 0);

        assertThat(listed(new ListTransactionsRequestData())).containsExactlyInAnyOrder("orders-1", "payments-1");
        assertThat(listed(new ListTransactionsRequestData().setStateFilters(List.of("Ongoing"))))
                .containsExactly("orders-1");
        assertThat(listed(new ListTransactionsRequestData().setProducerIdFilters(List.of(producer.id))))
                .containsExactly("orders-1");
        assertThat(listed(new ListTransactionsRequestData().setTransactionalIdPattern("pay.*")))
                .containsExactly("payments-1");
        var odd = (ListTransactionsResponseData) ask(
                        ApiKeys.LIST_TRANSACTIONS,
                        2,
                        new ListTransactionsRequestData()
                                .setTransactionalIdPattern("(")
                                .setStateFilters(List.of("Sleeping")))
                .data();
        assertThat(Errors.forCode(odd.errorCode())).isEqualTo(Errors.INVALID_REGULAR_EXPRESSION);
        assertThat(odd.unknownStateFilters()).isEmpty();
        var unknown = (ListTransactionsResponseData) ask(
                        ApiKeys.LIST_TRANSACTIONS,
                        0,
                        new ListTransactionsRequestData().setStateFilters(List.of("Sleeping", "Sleeping")))
                .data();
        assertThat(unknown.unknownStateFilters()).containsExactly("Sleeping");
    }

    private List<String> listed(ListTransactionsRequestData asked) {
        return ((ListTransactionsResponseData)
                        ask(ApiKeys.LIST_TRANSACTIONS, 2, asked).data())
                .transactionStates().stream()
                        .map(ListTransactionsResponseData.TransactionState::transactionalId)
                        .toList();
    }
}
