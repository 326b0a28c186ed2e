package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * Topics of a commit of offsets: those that do not exist, or that the client may not read, are refused one by one, and so are
 * partitions; the rest is committed.
 *
 * @param <T> a topic of the request
 * @param <P> a partition of it
 */
abstract class OffsetTopics<T, P> {
    abstract Uuid id(T topic);

    abstract String name(T topic);

    /** The request named it by id. */
    abstract void setName(T topic, String name);

    abstract List<P> partitions(T topic);

    abstract int index(P partition);

    /** The same topic, without partitions. */
    abstract T withoutPartitions(T topic);

    abstract void refuse(T topic, List<P> partitions, Errors why);

    /**
     * The topics, with the partitions that may be committed; the others are refused.
     *
     * @param byId whether the request has ids in place of names; then the names are set
     */
    final List<T> known(RequestContext context, KafkaAccess access, List<T> asked, boolean byId) {
        List<T> known = new ArrayList<>(asked.size());
        for (T topic : asked) {
            TopicLookup found = byId
                    ? access.find(context.principal(), Operation.READ, id(topic))
                    : access.find(context.principal(), Operation.READ, name(topic));
            switch (found) {
                case TopicLookup.Found(Topic of) -> {
                    if (byId) {
                        setName(topic, TopicNames.toKafka(of.name()));
                    }
                    T kept = keepPartitions(topic, of);
                    if (!partitions(kept).isEmpty()) {
                        known.add(kept);
                    }
                }
                case TopicLookup.Refused refused -> refuse(topic, partitions(topic), refused.error());
            }
        }
        return known;
    }

    private T keepPartitions(T topic, Topic of) {
        T kept = withoutPartitions(topic);
        for (P partition : partitions(topic)) {
            if (KafkaServices.hasPartition(of, index(partition))) {
                partitions(kept).add(partition);
            } else {
                refuse(topic, List.of(partition), Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
        }
        return kept;
    }
}
