package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a Pulsar message for which a Kafka record has no place; the text of the header {@link ReservedNames#MESSAGE}, in this order:
 *
 * <pre>
 *  producer, sequence          always
 *  published                   milliseconds since the epoch, where the record's timestamp is the event time
 *  keybase64, keyraw           1: the key is Base64 of UTF-8; the key's text, said to be Base64, where it is none
 *  nullkey                     1: a key of null, apart from none
 *  ordering                    ordering key, as Base64 of URLs; so are schema (its version) and schemaid
 *  prefix                      what conversion has put before the value, a {@link SchemaPrefix}
 *  kafkaschema                 the same, as the property {@link ReservedNames#SCHEMA} said it
 *  from, to                    clusters of replication
 *  txn                         most and least bits of the transaction
 *  deliver, marker             time of a delayed message; kind of a marker
 * </pre>
 *
 * @param shared what all messages of a batch have in common
 * @param key if the record's key does not say it
 * @param added what the value has before the content; null for nothing
 */
record PulsarFields(
        Shared shared,
        long sequence,
        @Nullable MessageKey key,
        boolean nullKey,
        byte @Nullable [] orderingKey,
        @Nullable Added added) {
    private static final String PREFIX = "prefix";
    private static final String KAFKA_SCHEMA = "kafkaschema";

    static final String KEY_IS_BASE64 = "keybase64";
    static final String KEY_RAW = "keyraw";

    private static final Set<String> NAMES = Set.of(
            "producer",
            "sequence",
            "published",
            KEY_IS_BASE64,
            KEY_RAW,
            "nullkey",
            "ordering",
            "schema",
            "schemaid",
            PREFIX,
            KAFKA_SCHEMA,
            "from",
            "to",
            "txn",
            "deliver",
            "marker");

    /**
     * A prefix that conversion has put before a content.
     *
     * @param byProperty whether a property of the message said so, which it has again when the prefix goes
     */
    record Added(SchemaPrefix prefix, boolean byProperty) {}

    /**
     * Fields that all messages of an entry have in common; null where Pulsar's metadata has nothing.
     *
     * @param published milliseconds since the epoch
     * @param timed whether a message has an event time
     */
    record Shared(
            String producer,
            long published,
            boolean timed,
            @Nullable String schema,
            @Nullable String schemaId,
            @Nullable String from,
            @Nullable String to,
            @Nullable String txn,
            @Nullable String deliver,
            @Nullable String marker) {
        static Shared of(MessageMetadata m, boolean timed) {
            return new Shared(
                    m.getProducerName(),
                    m.getPublishTime(),
                    timed,
                    m.hasSchemaVersion() ? Fields.base64(m.getSchemaVersion()) : null,
                    m.hasSchemaId() ? Fields.base64(m.getSchemaId()) : null,
                    m.hasReplicatedFrom() ? m.getReplicatedFrom() : null,
                    m.getReplicateTosCount() > 0 ? String.join(",", m.getReplicateTosList()) : null,
                    m.hasTxnidMostBits() && m.hasTxnidLeastBits()
                            ? m.getTxnidMostBits() + "." + m.getTxnidLeastBits()
                            : null,
                    m.hasDeliverAtTime() ? Long.toString(m.getDeliverAtTime()) : null,
                    m.hasMarkerType() ? Integer.toString(m.getMarkerType()) : null);
        }

        /** Whether a batch can have both. */
        boolean goesWith(Shared other) {
            return equals(other.timed(timed));
        }

        private Shared timed(boolean is) {
            return new Shared(producer, published, is, schema, schemaId, from, to, txn, deliver, marker);
        }

        void put(MessageMetadata m) {
            m.setProducerName(producer).setPublishTime(published);
            putBytes(m);
            if (from != null) {
                m.setReplicatedFrom(from);
            }
            if (to != null) {
                for (String cluster : to.split(",", -1)) {
                    m.addReplicateTo(cluster);
                }
            }
            if (txn != null) {
                int dot = txn.indexOf('.');
                m.setTxnidMostBits(Long.parseLong(txn.substring(0, dot)));
                m.setTxnidLeastBits(Long.parseLong(txn.substring(dot + 1)));
            }
            if (deliver != null) {
                m.setDeliverAtTime(Long.parseLong(deliver));
            }
            if (marker != null) {
                m.setMarkerType(Integer.parseInt(marker));
            }
        }

        private void putBytes(MessageMetadata m) {
            byte[] version = schema == null ? null : Fields.fromBase64(schema);
            if (version != null) {
                m.setSchemaVersion(version);
            }
            byte[] id = schemaId == null ? null : Fields.fromBase64(schemaId);
            if (id != null) {
                m.setSchemaId(id);
            }
        }
    }

    /** Texts of messages that have the same fields in common, which are written once. */
    static final class Texts {
        private final String before;
        private final String published;
        private final String after;

        Texts(Shared shared) {
            before = new Fields().add("producer", shared.producer) + "&sequence=";
            published = shared.timed ? "&published=" + shared.published : "";
            String rest = new Fields()
                    .add("schema", shared.schema)
                    .add("schemaid", shared.schemaId)
                    .add("from", shared.from)
                    .add("to", shared.to)
                    .add("txn", shared.txn)
                    .add("deliver", shared.deliver)
                    .add("marker", shared.marker)
                    .toString();
            after = rest.isEmpty() ? "" : "&" + rest;
        }

        /**
         * Text of one message's fields.
         *
         * @param keyBytes of the record
         */
        String of(
                long sequence,
                @Nullable MessageKey key,
                byte @Nullable [] keyBytes,
                boolean nullKey,
                byte @Nullable [] ordering,
                @Nullable Added added) {
            String own = own(key, keyBytes, nullKey, ordering, added);
            return before + sequence + published + own + after;
        }

        private static String own(
                @Nullable MessageKey key,
                byte @Nullable [] keyBytes,
                boolean nullKey,
                byte @Nullable [] ordering,
                @Nullable Added added) {
            boolean plainKey = key == null || keyBytes == null || !key.base64();
            if (plainKey && !nullKey && ordering == null && added == null) {
                return "";
            }
            Fields fields = new Fields();
            if (key != null && keyBytes != null) {
                key.addTo(fields, keyBytes);
            }
            if (nullKey) {
                fields.add("nullkey", 1);
            }
            fields.add("ordering", ordering == null ? null : Fields.base64(ordering));
            if (added != null) {
                fields.add(
                        added.byProperty() ? KAFKA_SCHEMA : PREFIX,
                        added.prefix().toString());
            }
            String text = fields.toString();
            return text.isEmpty() ? "" : "&" + text;
        }
    }

    /** Null if the text is not what {@link Texts} writes for a record with this timestamp, key and value. */
    static @Nullable PulsarFields parse(
            String text, long timestamp, byte @Nullable [] keyBytes, @Nullable ByteBuffer value) {
        Map<String, String> values = Fields.parse(text);
        if (values == null || !NAMES.containsAll(values.keySet())) {
            return null;
        }
        try {
            PulsarFields read = from(values, timestamp, keyBytes);
            return read != null && read.fits(value) && read.text(keyBytes).equals(text) ? read : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private boolean fits(@Nullable ByteBuffer value) {
        return added == null || value != null && added.prefix().begins(value);
    }

    private String text(byte @Nullable [] keyBytes) {
        return new Texts(shared).of(sequence, key, keyBytes, nullKey, orderingKey, added);
    }

    private static @Nullable PulsarFields from(Map<String, String> values, long timestamp, byte @Nullable [] keyBytes) {
        String producer = values.get("producer");
        String sequence = values.get("sequence");
        String published = values.get("published");
        if (producer == null || sequence == null || published == null && timestamp < 0) {
            return null;
        }
        MessageKey key = key(values, keyBytes);
        if (key != null && !key.has(keyBytes)) {
            return null;
        }
        Shared shared = new Shared(
                producer,
                published == null ? timestamp : Long.parseLong(published),
                published != null,
                checkBase64(values.get("schema")),
                checkBase64(values.get("schemaid")),
                values.get("from"),
                values.get("to"),
                checkTransaction(values.get("txn")),
                checkLong(values.get("deliver")),
                checkInt(values.get("marker")));
        String ordering = checkBase64(values.get("ordering"));
        return new PulsarFields(
                shared,
                Long.parseLong(sequence),
                key,
                values.containsKey("nullkey"),
                ordering == null ? null : Fields.fromBase64(ordering),
                added(values));
    }

    private static @Nullable Added added(Map<String, String> values) {
        String said = values.get(KAFKA_SCHEMA);
        String text = said == null ? values.get(PREFIX) : said;
        SchemaPrefix prefix = text == null ? null : SchemaPrefix.parse(text);
        if (text != null && prefix == null) {
            throw new IllegalArgumentException("no prefix");
        }
        return prefix == null ? null : new Added(prefix, said != null);
    }

    private static @Nullable MessageKey key(Map<String, String> values, byte @Nullable [] keyBytes) {
        if (values.containsKey(KEY_IS_BASE64) && keyBytes != null) {
            return MessageKey.ofBytes(keyBytes);
        }
        String raw = values.get(KEY_RAW);
        return raw == null ? null : new MessageKey(raw, true);
    }

    private static @Nullable String checkBase64(@Nullable String text) {
        if (text != null && Fields.fromBase64(text) == null) {
            throw new IllegalArgumentException("not Base64");
        }
        return text;
    }

    private static @Nullable String checkLong(@Nullable String text) {
        if (text != null) {
            Long.parseLong(text);
        }
        return text;
    }

    private static @Nullable String checkInt(@Nullable String text) {
        if (text != null) {
            Integer.parseInt(text);
        }
        return text;
    }

    private static @Nullable String checkTransaction(@Nullable String text) {
        if (text != null) {
            int dot = text.indexOf('.');
            checkLong(text.substring(0, Math.max(0, dot)));
            checkLong(text.substring(dot + 1));
        }
        return text;
    }

    /** Puts what is the message's own into the metadata of one in a batch. */
    void put(SingleMessageMetadata m) {
        m.setSequenceId(sequence);
        if (key != null) {
            m.setPartitionKey(key.text()).setPartitionKeyB64Encoded(key.base64());
        }
        if (nullKey) {
            m.setNullPartitionKey(true);
        }
        if (orderingKey != null) {
            m.setOrderingKey(orderingKey);
        }
    }
}
