package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.kafka.wire.ByteBufReadable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Readable;
import org.jspecify.annotations.Nullable;

/**
 * Produce, versions 3-13, read without copying: where each partition's records lie in the network buffer.
 *
 * @param transactionalId null if the producer is not transactional
 */
record ProduceRequest(@Nullable String transactionalId, short acks, int timeoutMs, List<Topic> topics) {
    private static final int FIRST_FLEXIBLE = 9;
    private static final int FIRST_WITH_TOPIC_IDS = 13;

    /** @param name empty when {@code id} is given instead */
    record Topic(String name, Uuid id, List<Partition> partitions) {}

    /** @param at index of the records in the buffer; {@code length} 0 if there are none */
    record Partition(int index, int at, int length) {}

    /** @throws InvalidRequestException if the bytes are not such a request */
    static ProduceRequest read(ByteBuf body, short version) {
        try {
            ProduceRequest request = new Reader(body, version).request();
            if (body.isReadable()) {
                throw new InvalidRequestException("Produce request with " + body.readableBytes() + " bytes too many");
            }
            return request;
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new InvalidRequestException("Produce request: " + e.getMessage());
        }
    }

    private static final class Reader {
        private final ByteBuf body;
        private final Readable in;
        private final boolean flexible;
        private final boolean topicIds;

        Reader(ByteBuf body, short version) {
            this.body = body;
            this.in = new ByteBufReadable(body);
            this.flexible = version >= FIRST_FLEXIBLE;
            this.topicIds = version >= FIRST_WITH_TOPIC_IDS;
        }

        ProduceRequest request() {
            String transactionalId = string();
            short acks = in.readShort();
            int timeoutMs = in.readInt();
            int count = count();
            List<Topic> topics = new ArrayList<>(Math.min(count, 64));
            for (int i = 0; i < count; i++) {
                topics.add(topic());
            }
            tags();
            return new ProduceRequest(transactionalId, acks, timeoutMs, topics);
        }

        private Topic topic() {
            String name = topicIds ? "" : string();
            Uuid id = topicIds ? in.readUuid() : Uuid.ZERO_UUID;
            if (name == null) {
                throw new IllegalArgumentException("topic without a name");
            }
            int count = count();
            List<Partition> partitions = new ArrayList<>(Math.min(count, 64));
            for (int i = 0; i < count; i++) {
                partitions.add(partition());
            }
            tags();
            return new Topic(name, id, partitions);
        }

        private Partition partition() {
            int index = in.readInt();
            int length = Math.max(0, length(true));
            if (length > body.readableBytes()) {
                throw new IndexOutOfBoundsException("records of " + length + " bytes");
            }
            int at = body.readerIndex();
            body.skipBytes(length);
            tags();
            return new Partition(index, at, length);
        }

        private @Nullable String string() {
            int length = length(false);
            if (length < 0) {
                return null;
            }
            if (length > Short.MAX_VALUE) {
                throw new IllegalArgumentException("string of " + length + " bytes");
            }
            return new String(in.readArray(length), StandardCharsets.UTF_8);
        }

        /** Reads the length of a string (16 bits) or bytes (32 bits), or of either in compact form; -1 for null. */
        private int length(boolean bytes) {
            if (flexible) {
                return in.readUnsignedVarint() - 1;
            }
            return bytes ? in.readInt() : in.readShort();
        }

        /** Reads the length of an array; each element has 4 bytes at least, so an absurd number fails before anything is allocated for it. */
        private int count() {
            int count = flexible ? in.readUnsignedVarint() - 1 : in.readInt();
            if (count < 0 || count > body.readableBytes() / 4) {
                throw new IllegalArgumentException("array of " + count + " elements");
            }
            return count;
        }

        private void tags() {
            if (!flexible) {
                return;
            }
            for (int left = in.readUnsignedVarint(); left > 0; left--) {
                in.readUnsignedVarint();
                int size = in.readUnsignedVarint();
                if (size < 0) {
                    throw new IllegalArgumentException("tagged field of " + size + " bytes");
                }
                body.skipBytes(size);
            }
        }
    }
}
