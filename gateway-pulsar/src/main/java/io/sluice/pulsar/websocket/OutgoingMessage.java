package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.DateTimeException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;
import org.apache.pulsar.common.util.DateFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A message that a client has sent, checked.
 *
 * @param context of the client, for the answer
 * @param sequenceId 0 for the next
 * @param deliverAt in milliseconds since the epoch; 0 for at once
 * @param eventTime in milliseconds since the epoch; 0 for none
 */
record OutgoingMessage(
        byte[] payload,
        Map<String, String> properties,
        @Nullable String context,
        @Nullable String key,
        List<String> replicationClusters,
        long eventTime,
        long sequenceId,
        long deliverAt) {
    /** Pulsar's mark that a message is for no other cluster. */
    private static final List<String> LOCAL = List.of("__local__");

    /** Metadata and payload, as they are stored. */
    record Entry(MessageMetadata metadata, byte[] payload) {}

    /** @param now in milliseconds since the epoch */
    static OutgoingMessage of(SocketJson.Message given, long now) throws BadRequestException {
        if (given.payload() == null) {
            throw new BadRequestException("payload is missing");
        }
        Map<String, String> properties = given.properties() == null ? Map.of() : given.properties();
        if (properties.values().stream().anyMatch(Objects::isNull)) {
            throw new BadRequestException("a property has no value");
        }
        List<String> clusters = given.replicationClusters() == null ? List.of() : given.replicationClusters();
        if (clusters.stream().anyMatch(Objects::isNull)) {
            throw new BadRequestException("a cluster has no name");
        }
        return new OutgoingMessage(
                decoded(given.payload()),
                properties,
                given.context(),
                given.key(),
                given.disableReplication() ? LOCAL : clusters,
                given.eventTime() == null ? 0 : time(given.eventTime()),
                given.sequenceId(),
                deliverAt(given, now));
    }

    private static byte[] decoded(String payload) throws BadRequestException {
        try {
            return Base64.getDecoder().decode(payload);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("Invalid Base64 message-payload error=" + e.getMessage());
        }
    }

    private static long time(String text) throws BadRequestException {
        try {
            return DateFormatter.parse(text);
        } catch (DateTimeException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private static long deliverAt(SocketJson.Message given, long now) {
        if (given.deliverAfterMs() > 0) {
            return now + Math.min(given.deliverAfterMs(), Long.MAX_VALUE - now);
        }
        return Math.max(0, given.deliverAt());
    }

    boolean isDelayed() {
        return deliverAt > 0;
    }

    /** Size of what is stored of it, about. */
    int bytes() {
        long bytes = (long) payload.length + (key == null ? 0 : ByteBufUtil.utf8Bytes(key));
        for (Map.Entry<String, String> each : properties.entrySet()) {
            bytes += ByteBufUtil.utf8Bytes(each.getKey()) + ByteBufUtil.utf8Bytes(each.getValue());
        }
        for (String each : replicationClusters) {
            bytes += ByteBufUtil.utf8Bytes(each);
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** As an entry of its own. */
    Entry entry(String producer, long sequenceId, CompressionType compression) {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName(producer)
                .setSequenceId(sequenceId)
                .setPublishTime(System.currentTimeMillis());
        properties.forEach((name, value) -> metadata.addProperty().setKey(name).setValue(value));
        if (key != null) {
            metadata.setPartitionKey(key);
        }
        if (eventTime > 0) {
            metadata.setEventTime(eventTime);
        }
        if (deliverAt > 0) {
            metadata.setDeliverAtTime(deliverAt);
        }
        replicationClusters.forEach(metadata::addReplicateTo);
        return compressed(metadata, payload, compression);
    }

    /** Adds it to a batch. */
    SingleMessageMetadata single(long sequenceId) {
        SingleMessageMetadata metadata = new SingleMessageMetadata().setSequenceId(sequenceId);
        properties.forEach((name, value) -> metadata.addProperty().setKey(name).setValue(value));
        if (key != null) {
            metadata.setPartitionKey(key);
        }
        if (eventTime > 0) {
            metadata.setEventTime(eventTime);
        }
        return metadata;
    }

    /** Compresses the payload, if that makes it smaller, and marks it so in the metadata. */
    static Entry compressed(MessageMetadata metadata, byte[] payload, CompressionType compression) {
        metadata.setUncompressedSize(payload.length);
        if (compression == CompressionType.NONE) {
            return new Entry(metadata, payload);
        }
        var type = org.apache.pulsar.common.api.proto.CompressionType.valueOf(compression.name());
        ByteBuf packed = CompressionCodecProvider.getCompressionCodec(type).encode(Unpooled.wrappedBuffer(payload));
        try {
            if (packed.readableBytes() >= payload.length) {
                return new Entry(metadata, payload);
            }
            metadata.setCompression(type);
            return new Entry(metadata, ByteBufUtil.getBytes(packed));
        } finally {
            packed.release();
        }
    }
}
