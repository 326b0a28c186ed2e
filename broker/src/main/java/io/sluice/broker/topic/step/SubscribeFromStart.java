package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.CreateSegments;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.subscription.ShadowSubscription;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes durable subscriptions at the beginning of new partitions, whose segments are made if they are not there. The result is the segment
 * of a partition that is not there now, or negative when all is durable.
 *
 * @param subscriptions properties by stored name
 */
public record SubscribeFromStart(List<NewSegment> segments, Map<String, Map<String, String>> subscriptions)
        implements ContainerStep<Long> {
    public SubscribeFromStart {
        segments = List.copyOf(segments);
        subscriptions = Map.copyOf(subscriptions);
    }

    @Override
    public byte code() {
        return TopicSteps.SUBSCRIBE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Long> answer) {
        for (NewSegment each : segments) {
            each.create(container);
            PartitionLog log = PartitionRiderFactory.find(container, each.segment());
            if (log == null) {
                answer.complete(each.segment());
                return;
            }
            subscriptions.forEach((stored, properties) -> log.subscriptions()
                    .ofStored(stored)
                    .create(ShadowSubscription.shownName(stored), 0, properties, Durable.IGNORED));
        }
        container.barrier(answer.onceDurable(FindSubscriptions.NONE));
    }

    @Override
    public void write(ByteBuf out) {
        CreateSegments.writeAll(segments, out);
        write(subscriptions, out);
    }

    static SubscribeFromStart read(ByteBuf in) {
        return new SubscribeFromStart(CreateSegments.readAll(in), readSubscriptions(in));
    }

    static void write(Map<String, Map<String, String>> subscriptions, ByteBuf out) {
        Packed.writeUnsigned(out, subscriptions.size());
        subscriptions.forEach((name, properties) -> {
            Packed.writeString(out, name);
            Packed.writeUnsigned(out, properties.size());
            properties.forEach((key, value) -> {
                Packed.writeString(out, key);
                Packed.writeString(out, value);
            });
        });
    }

    static Map<String, Map<String, String>> readSubscriptions(ByteBuf in) {
        Map<String, Map<String, String>> found = new HashMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String name = Packed.readString(in);
            Map<String, String> properties = new HashMap<>();
            for (int p = Packed.readCount(in); p > 0; p--) {
                String key = Packed.readString(in);
                properties.put(key, Packed.readString(in));
            }
            found.put(name, properties);
        }
        return found;
    }

    @Override
    public void writeResult(Long result, ByteBuf out) {
        Packed.writeSigned(out, result);
    }

    @Override
    public Long readResult(ByteBuf in) {
        return Packed.readSigned(in);
    }
}
