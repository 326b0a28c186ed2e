package io.sluice.pulsar.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.sluice.pulsar.schema.TypedPayload;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CompressionType;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.jspecify.annotations.Nullable;

/** Body of a request that publishes: Pulsar's {@code ProducerMessages}. */
final class PostedMessages {
    /** As many sends as one connection may have unanswered. */
    private static final int MOST = 1_000;

    private static final String PRODUCER = "RestProducer";
    /** Pulsar's mark that a message is for no other cluster. */
    private static final String LOCAL = "__local__";

    private final JsonObject body;
    private final List<JsonObject> messages = new ArrayList<>();

    PostedMessages(String text) throws AdminException {
        if (text.isBlank()) {
            throw new AdminException(400, "the request needs a body with messages");
        }
        this.body = new JsonObject(text);
        JsonArray given = body.getJsonArray("messages");
        if (given == null) {
            throw new AdminException(400, "messages are missing");
        }
        if (given.size() > MOST) {
            throw new AdminException(413, "a request has at most " + MOST + " messages");
        }
        for (int i = 0; i < given.size(); i++) {
            JsonObject each = given.getJsonObject(i);
            if (each == null || each.getString("payload") == null) {
                throw new AdminException(400, "message " + i + " has no payload");
            }
            messages.add(each);
        }
    }

    int count() {
        return messages.size();
    }

    /** Version of the topic's schema that the messages are of; -1 where they bring their own. */
    long schemaVersion() {
        return number(body, "schemaVersion", -1);
    }

    /** Schema that the messages bring; text where they say nothing. */
    Schema schema(String topic) throws AdminException {
        Part value = part("valueSchema");
        Part key = part("keySchema");
        Schema schema = new Schema().setName(topic);
        if (key == null) {
            Part one = value == null ? new Part("STRING", "STRING", new byte[0], Map.of("__charset", "UTF-8")) : value;
            schema.setType(SchemaTypes.parse(one.type)).setSchemaData(one.data);
            one.properties.forEach((name, v) -> add(schema, name, v));
            return schema;
        }
        Part second = value == null ? new Part("STRING", "STRING", new byte[0], Map.of()) : value;
        schema.setType(Schema.Type.KeyValue)
                .setSchemaData(ByteBuffer.allocate(2 * Integer.BYTES + key.data.length + second.data.length)
                        .putInt(key.data.length)
                        .put(key.data)
                        .putInt(second.data.length)
                        .put(second.data)
                        .array());
        describe(schema, "key", key);
        describe(schema, "value", second);
        add(schema, "kv.encoding.type", "SEPARATED");
        return schema;
    }

    private static void describe(Schema schema, String half, Part part) {
        add(schema, half + ".schema.name", part.name);
        add(schema, half + ".schema.type", part.type);
        add(schema, half + ".schema.properties", new JsonObject(Map.copyOf(part.properties)).encode());
    }

    private static void add(Schema schema, String name, String value) {
        KeyValue property = schema.addProperty();
        property.setKey(name).setValue(value);
    }

    private record Part(String name, String type, byte[] data, Map<String, String> properties) {}

    /** Null where it is not given. */
    private @Nullable Part part(String name) throws AdminException {
        String text = body.getString(name, "");
        if (text.isEmpty()) {
            return null;
        }
        JsonObject given = new JsonObject(text);
        String type = given.getString("type", "");
        SchemaTypes.parse(type);
        Map<String, String> properties = new LinkedHashMap<>();
        given.getJsonObject("properties", new JsonObject())
                .forEach(each -> properties.put(each.getKey(), String.valueOf(each.getValue())));
        byte[] data = Base64.getDecoder().decode(given.getString("schema", ""));
        return new Part(given.getString("name", type), type, data, properties);
    }

    /**
     * The message as a producer sends it, with a checksum. It is on the heap, and needs no release.
     *
     * @param now milliseconds since the epoch
     */
    ByteBuf sent(int index, Versioned schema, long now) throws AdminException {
        JsonObject given = messages.get(index);
        String key = given.getString("key");
        TypedPayload typed;
        try {
            typed = TypedPayload.of(schema.schema(), key, given.getString("payload"));
        } catch (IllegalArgumentException e) {
            throw new AdminException(400, "message " + index + ": " + e.getMessage());
        }
        MessageMetadata metadata = metadata(given, now)
                .setSchemaVersion(ByteBuffer.allocate(Long.BYTES)
                        .putLong(schema.version())
                        .array())
                .setUncompressedSize(typed.value().length);
        byte[] separate = typed.key();
        if (separate != null) {
            metadata.setPartitionKey(Base64.getEncoder().encodeToString(separate))
                    .setPartitionKeyB64Encoded(true);
        } else if (key != null) {
            metadata.setPartitionKey(key).setPartitionKeyB64Encoded(false);
        }
        ByteBuf pooled = Commands.serializeMetadataAndPayload(
                ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(typed.value()));
        try {
            byte[] bytes = new byte[pooled.readableBytes()];
            pooled.readBytes(bytes);
            return Unpooled.wrappedBuffer(bytes);
        } finally {
            pooled.release();
        }
    }

    private MessageMetadata metadata(JsonObject given, long now) {
        String producer = body.getString("producerName", "");
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName(producer.isEmpty() ? PRODUCER : producer)
                .setPublishTime(now)
                .setSequenceId(number(given, "sequenceId", 0))
                .setCompression(CompressionType.NONE);
        given.getJsonObject("properties", new JsonObject())
                .forEach(
                        each -> metadata.addProperty().setKey(each.getKey()).setValue(String.valueOf(each.getValue())));
        long eventTime = number(given, "eventTime", 0);
        if (eventTime > 0) {
            metadata.setEventTime(eventTime);
        }
        long deliverAfter = number(given, "deliverAfterMs", 0);
        long deliverAt =
                deliverAfter > 0 ? now + Math.min(deliverAfter, Long.MAX_VALUE - now) : number(given, "deliverAt", 0);
        if (deliverAt > 0) {
            metadata.setDeliverAtTime(deliverAt);
        }
        if (given.getBoolean("disableReplication", false)) {
            metadata.addReplicateTo(LOCAL);
        } else {
            given.getJsonArray("replicationClusters", new JsonArray())
                    .forEach(cluster -> metadata.addReplicateTo(String.valueOf(cluster)));
        }
        return metadata;
    }

    /** A number, which Pulsar's clients also write as a text. */
    private static long number(JsonObject in, String name, long otherwise) {
        Object value = in.getValue(name);
        return switch (value) {
            case null -> otherwise;
            case Number n -> n.longValue();
            default -> Long.parseLong(String.valueOf(value));
        };
    }
}
