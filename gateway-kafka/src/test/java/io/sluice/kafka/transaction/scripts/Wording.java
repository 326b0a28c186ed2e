package io.sluice.kafka.transaction.scripts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * An answer with all its fields as a line that is the same wherever the same happened: producer ids by the order in which they appeared,
 * no times, no throttling, no words for people, lists that have no order sorted.
 */
final class Wording {
    private static final Pattern PRODUCER = Pattern.compile("producerId=(\\d+)");
    private static final Pattern ERROR = Pattern.compile("([eE]rror[cC]ode)=(-?\\d+)");
    private static final Pattern TIME =
            Pattern.compile("(transactionStartTimeMs|lastTimestamp|coordinatorEpoch|[lL]eaderEpoch)=\\d+");
    private static final Pattern IGNORED = Pattern.compile("throttleTimeMs=\\d+, |, errorMessage=(null|'[^']*')"
            + "|, nodeEndpoints=\\[\\]|, recordErrors=\\[\\]|, currentLeader=LeaderIdAndEpoch\\([^)]*\\)"
            + "|, topicId=A{22}|\\b[A-Z]\\w+(?=\\()");

    private final String prefix;
    private final Map<Long, String> producers = new HashMap<>();

    /** @param prefix of the script's names, which is left out */
    Wording(String prefix) {
        this.prefix = prefix;
    }

    String producer(long id) {
        // 0 is nobody's, see PlayedScripts.
        return id <= 0 ? Long.toString(id) : producers.computeIfAbsent(id, unseen -> "P" + (producers.size() + 1));
    }

    String of(ApiMessage answer) {
        sort(answer);
        String words = IGNORED.matcher(answer.toString()).replaceAll("");
        words = PRODUCER.matcher(words).replaceAll(found -> "producerId=" + producer(Long.parseLong(found.group(1))));
        words = ERROR.matcher(words).replaceAll(Wording::error);
        words = TIME.matcher(words).replaceAll("$1=set");
        return words.replace(prefix, "");
    }

    private static String error(MatchResult found) {
        return found.group(1) + "=" + Errors.forCode(Short.parseShort(found.group(2)));
    }

    private static void sort(ApiMessage answer) {
        switch (answer) {
            case ListTransactionsResponseData list ->
                list.transactionStates()
                        .sort(Comparator.comparing(ListTransactionsResponseData.TransactionState::transactionalId));
            case DescribeProducersResponseData all ->
                all.topics()
                        .forEach(topic -> topic.partitions()
                                .forEach(partition -> partition
                                        .activeProducers()
                                        .sort(Comparator.comparing(
                                                DescribeProducersResponseData.ProducerState::producerId))));
            case DescribeTransactionsResponseData all -> all.transactionStates().forEach(Wording::sort);
            case AddPartitionsToTxnResponseData added -> sort(added);
            case ProduceResponseData produced ->
                produced.responses()
                        .forEach(topic ->
                                topic.partitionResponses().forEach(partition -> partition.setErrorMessage(null)));
            default -> {}
        }
    }

    private static void sort(DescribeTransactionsResponseData.TransactionState state) {
        List<DescribeTransactionsResponseData.TopicData> topics = new ArrayList<>();
        state.topics().forEach(topic -> topics.add(topic.duplicate()));
        topics.sort(Comparator.comparing(DescribeTransactionsResponseData.TopicData::topic));
        topics.forEach(topic -> topic.partitions().sort(Comparator.naturalOrder()));
        state.setTopics(new DescribeTransactionsResponseData.TopicDataCollection(topics.iterator()));
    }

    private static void sort(AddPartitionsToTxnResponseData added) {
        added.resultsByTopicV3AndBelow()
                .forEach(topic -> topic.resultsByPartition()
                        .sort(Comparator.comparingInt(partition -> partition.partitionIndex())));
        added.resultsByTransaction()
                .forEach(transaction -> transaction
                        .topicResults()
                        .forEach(topic -> topic.resultsByPartition()
                                .sort(Comparator.comparingInt(partition -> partition.partitionIndex()))));
    }
}
