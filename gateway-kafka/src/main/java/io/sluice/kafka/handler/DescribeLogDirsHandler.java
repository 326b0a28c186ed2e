package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * DescribeLogDirs, versions 1-5: how large partitions are. Difference from Kafka: partitions share one store, which is
 * shown as a single directory named {@code /sluice}; how full its disks are is not said. Who may describe the cluster, but not
 * a topic, is not shown that topic; Kafka shows all. As in Kafka, a partition is shown by the broker that leads it alone.
 */
public final class DescribeLogDirsHandler implements ApiHandler {
    private static final String STORE = "/sluice";

    private final KafkaServices services;

    public DescribeLogDirsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_LOG_DIRS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        Principal who = context.principal();
        if (!services.access().allowsOnCluster(who, Operation.DESCRIBE)) {
            context.complete(
                    new DescribeLogDirsResponseData().setErrorCode(Errors.CLUSTER_AUTHORIZATION_FAILED.code()));
            return;
        }
        DescribeLogDirsRequestData asked = (DescribeLogDirsRequestData) request.data();
        DescribeLogDirsResult store = new DescribeLogDirsResult().setLogDir(STORE);
        DescribeLogDirsResponseData answer = new DescribeLogDirsResponseData().setResults(List.of(store));
        PartitionWork work = new PartitionWork(services, () -> context.complete(answer));
        if (asked.topics() == null) {
            for (Topic topic : services.access().all(who, Operation.DESCRIBE)) {
                List<Integer> all =
                        IntStream.range(0, topic.partitions().size()).boxed().toList();
                add(topic, all, store, work);
            }
        } else {
            Map<String, Set<Integer>> partitions = new LinkedHashMap<>();
            for (DescribableLogDirTopic each : asked.topics()) {
                partitions
                        .computeIfAbsent(each.topic(), name -> new LinkedHashSet<>())
                        .addAll(each.partitions());
            }
            partitions.forEach((name, each) -> {
                if (services.access().find(who, Operation.DESCRIBE, name) instanceof TopicLookup.Found(Topic topic)) {
                    add(topic, each, store, work);
                }
            });
        }
        work.start();
    }

    private void add(Topic topic, Collection<Integer> partitions, DescribeLogDirsResult store, PartitionWork work) {
        DescribeLogDirsTopic entry = new DescribeLogDirsTopic().setName(TopicNames.toKafka(topic.name()));
        for (int partition : partitions) {
            if (services.log(topic, partition) != null) {
                DescribeLogDirsPartition slot = new DescribeLogDirsPartition().setPartitionIndex(partition);
                entry.partitions().add(slot);
                work.add(topic, partition, new Size(slot));
            }
        }
        if (!entry.partitions().isEmpty()) {
            store.topics().add(entry);
        }
    }

    private record Size(DescribeLogDirsPartition answer) implements PartitionWork.Question {
        @Override
        public void ask(PartitionLog log, Runnable done) {
            answer.setPartitionSize(log.sizeBytes());
            done.run();
        }

        /** It has just gone elsewhere. */
        @Override
        public void fail(Errors error) {
            answer.setPartitionSize(0);
        }
    }
}
