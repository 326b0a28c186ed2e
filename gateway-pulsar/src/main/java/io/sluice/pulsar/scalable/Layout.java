package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.KeyHashRange;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.ServiceUrls;
import java.util.function.Function;
import org.apache.pulsar.common.api.proto.ScalableTopicDAG;
import org.apache.pulsar.common.api.proto.SegmentBrokerAddress;
import org.apache.pulsar.common.api.proto.SegmentInfoProto;
import org.apache.pulsar.common.api.proto.SegmentState;
import org.jspecify.annotations.Nullable;

/** A topic's segments, as clients are told. */
public final class Layout {
    private Layout() {}

    /**
     * @param urlOf where the node listens that serves a segment, by its place; null if that is not known now
     * @param controllerUrl where consumers register
     */
    public static ScalableTopicDAG of(
            ScalableTopic topic, Function<Parsed, @Nullable String> urlOf, @Nullable String controllerUrl) {
        ScalableTopicDAG dag = new ScalableTopicDAG().setEpoch(topic.graph().epoch());
        topic.graph().all().forEach(segment -> write(topic, segment, dag.addSegment()));
        for (ScalableSegment segment : topic.graph().active()) {
            String url = urlOf.apply(topic.place(segment));
            if (url != null) {
                write(url, dag.addSegmentBroker().setSegmentId(segment.id()));
            }
        }
        String plain = ServiceUrls.plain(controllerUrl);
        if (plain != null) {
            dag.setControllerBrokerUrl(plain);
        }
        String secure = ServiceUrls.secure(controllerUrl);
        if (secure != null) {
            dag.setControllerBrokerUrlTls(secure);
        }
        return dag;
    }

    private static void write(String url, SegmentBrokerAddress to) {
        String plain = ServiceUrls.plain(url);
        if (plain != null) {
            to.setBrokerUrl(plain);
        }
        String secure = ServiceUrls.secure(url);
        if (secure != null) {
            to.setBrokerUrlTls(secure);
        }
    }

    private static void write(ScalableTopic topic, ScalableSegment from, SegmentInfoProto to) {
        to.setSegmentId(from.id())
                .setHashStart(from.range().start())
                .setHashEnd(from.range().end())
                .setState(from.isActive() ? SegmentState.ACTIVE : SegmentState.SEALED)
                .setCreatedAtEpoch(from.createdAtEpoch())
                .setCreatedAtMs(from.createdAt());
        from.parents().forEach(to::addParentId);
        from.children().forEach(to::addChildId);
        if (!from.isActive()) {
            to.setSealedAtEpoch(from.sealedAtEpoch()).setSealedAtMs(from.sealedAt());
        }
        if (topic.isClassic(from)) {
            to.setLegacyTopicName(PulsarNames.text(topic.place(from)));
        }
    }

    /**
     * A classic topic as if its partitions were segments: clients choose among them as classic producers do, whatever the ranges
     * say.
     *
     * @param partitions 0 if it is non-partitioned
     */
    public static ScalableTopicDAG ofClassic(TopicName topic, int partitions, long createdAt) {
        ScalableTopicDAG dag = new ScalableTopicDAG().setEpoch(0);
        if (partitions == 0) {
            write(0, KeyHashRange.ALL, topic.toString(), createdAt, dag.addSegment());
        }
        int each = (KeyHashRange.MAX + 1) / Math.max(1, partitions);
        for (int p = 0; p < partitions; p++) {
            int end = p == partitions - 1 ? KeyHashRange.MAX : (p + 1) * each - 1;
            write(p, new KeyHashRange(p * each, end), PulsarNames.ofPartition(topic, p), createdAt, dag.addSegment());
        }
        return dag;
    }

    private static void write(long id, KeyHashRange range, String name, long createdAt, SegmentInfoProto to) {
        to.setSegmentId(id)
                .setHashStart(range.start())
                .setHashEnd(range.end())
                .setState(SegmentState.ACTIVE)
                .setCreatedAtEpoch(0)
                .setCreatedAtMs(createdAt)
                .setLegacyTopicName(name);
    }
}
