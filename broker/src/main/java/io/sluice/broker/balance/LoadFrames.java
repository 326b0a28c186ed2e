package io.sluice.broker.balance;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.balance.LoadSample.Served;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bytes of a sample on its way to another node; its clock is another, so times go as ages.
 *
 * <pre>
 *   containers: their number; each: id, milliseconds it is served (packed), loop (packed), three shares of its strain (8 bytes each)
 *   topics:     their number; each: tenant, namespace, local name (strings)
 *   partitions: their number; each: topic (index), partition, id (8 bytes), container, stays (1 byte), six rates (4 bytes each)
 * </pre>
 */
final class LoadFrames {
    private LoadFrames() {}

    /** @param now by the clock of the sample */
    static byte[] write(LoadSample sample, long now) {
        ByteBuf out = Unpooled.buffer(4096);
        Packed.writeUnsigned(out, sample.containers().size());
        sample.containers().forEach(container -> write(container, now, out));
        Map<TopicName, Integer> topics = new HashMap<>();
        List<TopicName> inOrder = new ArrayList<>();
        for (PartitionLoad each : sample.partitions()) {
            if (topics.putIfAbsent(each.topic(), topics.size()) == null) {
                inOrder.add(each.topic());
            }
        }
        Packed.writeUnsigned(out, inOrder.size());
        for (TopicName each : inOrder) {
            Packed.writeString(out, each.tenant());
            Packed.writeString(out, each.namespace());
            Packed.writeString(out, each.local());
        }
        Packed.writeUnsigned(out, sample.partitions().size());
        sample.partitions().forEach(partition -> write(partition, topics.getOrDefault(partition.topic(), 0), out));
        return ByteBufUtil.getBytes(out);
    }

    private static void write(ContainerLoad container, long now, ByteBuf out) {
        Packed.writeUnsigned(out, container.id());
        Packed.writeUnsigned(out, Math.max(0, now - container.servedSince()));
        Strain strain = container.strain();
        Packed.writeUnsigned(out, strain.loop());
        out.writeDouble(strain.loopBusy());
        out.writeDouble(strain.logPressure());
        out.writeDouble(strain.tierPressure());
    }

    private static void write(PartitionLoad partition, int topic, ByteBuf out) {
        Packed.writeUnsigned(out, topic);
        Packed.writeUnsigned(out, partition.partition());
        out.writeLong(partition.id());
        Packed.writeUnsigned(out, partition.container());
        out.writeBoolean(partition.stays());
        Rate rate = partition.rate();
        for (double each : new double[] {
            rate.bytesIn(), rate.appends(), rate.eventsIn(), rate.bytesOut(), rate.reads(), rate.eventsOut()
        }) {
            out.writeFloat((float) each);
        }
    }

    /** @param now by the clock of the sample that is given */
    static LoadSample read(byte[] bytes, long now) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        List<Served> served = new ArrayList<>();
        for (int left = Packed.readCount(in); left > 0; left--) {
            int id = Packed.readCount(in);
            long since = now - Packed.readUnsigned(in);
            served.add(new Served(
                    id, since, new Strain(Packed.readCount(in), in.readDouble(), in.readDouble(), in.readDouble())));
        }
        List<TopicName> topics = new ArrayList<>();
        for (int left = Packed.readCount(in); left > 0; left--) {
            topics.add(new TopicName(Packed.readString(in), Packed.readString(in), Packed.readString(in)));
        }
        List<PartitionLoad> partitions = new ArrayList<>();
        for (int left = Packed.readCount(in); left > 0; left--) {
            partitions.add(new PartitionLoad(
                    topics.get(Packed.readCount(in)),
                    Packed.readCount(in),
                    in.readLong(),
                    Packed.readCount(in),
                    in.readBoolean(),
                    new Rate(
                            in.readFloat(),
                            in.readFloat(),
                            in.readFloat(),
                            in.readFloat(),
                            in.readFloat(),
                            in.readFloat())));
        }
        return LoadSample.of(partitions, served);
    }
}
