package io.sluice.kafka.transaction.scripts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchResponse;

/** What a server says of transactions, partitions and groups. */
final class Observations {
    private static final long PATIENCE = Duration.ofSeconds(40).toNanos();
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptClient client;
    private final Wording wording;
    private final String topic;

    Observations(ScriptClient client, Wording wording, String topic) {
        this.client = client;
        this.wording = wording;
        this.topic = topic;
    }

    /** @param kind 0 to 5 */
    String observe(int kind, List<String> ids, List<String> groups) throws IOException {
        return switch (kind) {
            case 0 -> "describe -> " + describe(ids);
            case 1 -> "producers -> " + ask(ApiKeys.DESCRIBE_PRODUCERS, 0, Requests.producers(topic, List.of(0, 1, 7)));
            case 2 -> "offsets of the group -> " + offsets(groups.getFirst());
            case 3 -> "offsets of the members -> " + offsets(groups.getLast());
            case 4 -> "ends -> " + ends();
            default -> "read -> " + read(0) + " " + read(1);
        };
    }

    String describe(List<String> ids) throws IOException {
        return ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, new DescribeTransactionsRequestData().setTransactionalIds(ids));
    }

    private String offsets(String group) throws IOException {
        return ask(ApiKeys.OFFSET_FETCH, 7, Requests.offsets(group, topic, BOTH, false)) + " stable "
                + Objects.requireNonNull(
                                client.once(ApiKeys.OFFSET_FETCH, 7, Requests.offsets(group, topic, BOTH, true)))
                        .errorCounts()
                        .keySet();
    }

    private String ends() throws IOException {
        StringBuilder ends = new StringBuilder();
        for (int partition : BOTH) {
            for (boolean committed : new boolean[] {true, false}) {
                ends.append(ask(ApiKeys.LIST_OFFSETS, 5, Requests.lastOffset(topic, partition, committed)))
                        .append(' ');
            }
        }
        return ends.toString().strip();
    }

    private String ask(ApiKeys api, int version, ApiMessage asked) throws IOException {
        AbstractResponse answer = client.call(api, version, asked);
        return answer == null ? "disconnected" : wording.of(answer.data());
    }

    /** As a consumer of what is committed gets it, who fetches until the last stable offset. */
    private String read(int partition) throws IOException {
        List<String> batches = new ArrayList<>();
        TreeSet<String> aborted = new TreeSet<>();
        long from = 0;
        FetchResponseData.PartitionData data;
        do {
            AbstractResponse answer = client.call(ApiKeys.FETCH, 12, Requests.fetch(topic, partition, from, true));
            data = ((FetchResponseData) Objects.requireNonNull(answer).data())
                    .responses()
                    .getFirst()
                    .partitions()
                    .getFirst();
            for (RecordBatch batch : FetchResponse.recordsOrFail(data).batches()) {
                batches.add(words(batch));
                from = batch.nextOffset();
            }
            if (data.abortedTransactions() != null) {
                // Kafka names some that begin behind what it returns, too.
                long end = data.lastStableOffset();
                data.abortedTransactions().stream()
                        .filter(each -> each.firstOffset() < end)
                        .forEach(each -> aborted.add(wording.producer(each.producerId()) + "@" + each.firstOffset()));
            }
        } while (data.errorCode() == 0 && from < data.lastStableOffset());
        return "%s hw %d lso %d aborted %s %s"
                .formatted(
                        Errors.forCode(data.errorCode()),
                        data.highWatermark(),
                        data.lastStableOffset(),
                        aborted,
                        batches);
    }

    private String words(RecordBatch batch) {
        StringBuilder words = new StringBuilder()
                .append(batch.baseOffset())
                .append(batch.isControlBatch() ? " control " : " data ")
                .append(batch.isTransactional() ? "" : "plain ")
                .append(wording.producer(batch.producerId()))
                .append('/')
                .append(batch.producerEpoch())
                .append(" at ")
                .append(batch.baseSequence());
        batch.forEach(record -> words.append(' ')
                .append(
                        batch.isControlBatch()
                                ? "type " + record.key().getShort(2)
                                : StandardCharsets.UTF_8.decode(record.value())));
        return words.toString();
    }

    /** No outcome of these ids is being carried out. */
    void awaitSettled(List<String> ids) throws IOException {
        await(ids, state -> !state.startsWith("Prepare"));
    }

    void awaitNotOngoing(String id) throws IOException {
        await(List.of(id), state -> !state.startsWith("Prepare") && !state.equals("Ongoing"));
    }

    private void await(List<String> ids, Predicate<String> wanted) throws IOException {
        long deadline = System.nanoTime() + PATIENCE;
        while (System.nanoTime() < deadline) {
            AbstractResponse answer = client.once(
                    ApiKeys.DESCRIBE_TRANSACTIONS, 0, new DescribeTransactionsRequestData().setTransactionalIds(ids));
            if (answer != null
                    && answer.data() instanceof DescribeTransactionsResponseData described
                    && described.transactionStates().stream()
                            .allMatch(state -> wanted.test(state.transactionState()))) {
                return;
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
