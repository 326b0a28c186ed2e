package io.sluice.conversion;

import java.util.Map;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A Pulsar batch that is a converted Kafka batch, by its property {@link ReservedNames#BATCH}.
 *
 * @param producer part of the Kafka batch's header
 * @param hasFields whether its records had the header {@link ReservedNames#MESSAGE}
 * @param added what that said of their values, other than null; null for nothing
 */
record KafkaOrigin(
        KafkaBatch.Producer producer,
        boolean hasFields,
        @Nullable SchemaPrefix added) {
    private static final String ID = "id";
    private static final String EPOCH = "epoch";
    private static final String SEQUENCE = "sequence";
    private static final String ATTRIBUTES = "attributes";
    private static final String FIELDS = "fields";
    private static final String PREFIX = "prefix";

    void put(MessageMetadata metadata) {
        Fields fields = new Fields().add(ATTRIBUTES, producer.attributes());
        if (producer.id() != RecordBatch.NO_PRODUCER_ID) {
            fields.add(ID, producer.id()).add(EPOCH, producer.epoch()).add(SEQUENCE, producer.sequence());
        }
        if (hasFields) {
            fields.add(FIELDS, 1);
        }
        if (added != null) {
            fields.add(PREFIX, added.toString());
        }
        metadata.addProperty().setKey(ReservedNames.BATCH).setValue(fields.toString());
    }

    /** Null if it is none. */
    static @Nullable KafkaOrigin of(MessageMetadata metadata) {
        for (int i = 0; i < metadata.getPropertiesCount(); i++) {
            KeyValue each = metadata.getPropertyAt(i);
            if (each.getKey().equals(ReservedNames.BATCH)) {
                Map<String, String> values = Fields.parse(each.getValue());
                return values == null ? null : of(values);
            }
        }
        return null;
    }

    private static @Nullable KafkaOrigin of(Map<String, String> values) {
        try {
            int attributes = Integer.parseInt(values.getOrDefault(ATTRIBUTES, "0")) & KafkaToPulsar.KEPT_ATTRIBUTES;
            KafkaBatch.Producer none = KafkaBatch.Producer.NONE;
            return new KafkaOrigin(
                    new KafkaBatch.Producer(
                            Long.parseLong(values.getOrDefault(ID, Long.toString(none.id()))),
                            Short.parseShort(values.getOrDefault(EPOCH, Short.toString(none.epoch()))),
                            Integer.parseInt(values.getOrDefault(SEQUENCE, Integer.toString(none.sequence()))),
                            attributes),
                    values.containsKey(FIELDS),
                    SchemaPrefix.parse(values.getOrDefault(PREFIX, "")));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
