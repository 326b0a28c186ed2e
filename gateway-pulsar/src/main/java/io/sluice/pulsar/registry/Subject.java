package io.sluice.pulsar.registry;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.schema.TopicSchemas;

/**
 * A subject: {@code T-value} and {@code T-key} are about topic {@code T}, by its name for Kafka clients; any other, a record's name for one, is
 * about the topic that has its name, which is asked for rights only.
 *
 * @param isOfValues whether its schemas are those of the topic's messages
 */
public record Subject(String name, TopicName topic, boolean isOfValues) {
    private static final String VALUE = TopicSchemas.VALUES;
    private static final String KEY = "-key";

    /** Before the names of subjects of the default context, which is the only one there is. */
    public static final String DEFAULT_CONTEXT = ":.:";

    /**
     * @param given name, with the default context before it or without
     * @throws RegistryException if the name could be no topic's
     */
    public static Subject of(String given) throws RegistryException {
        String name = given.startsWith(DEFAULT_CONTEXT) ? given.substring(DEFAULT_CONTEXT.length()) : given;
        boolean ofValues = name.endsWith(VALUE) && name.length() > VALUE.length();
        boolean ofKeys = name.endsWith(KEY) && name.length() > KEY.length();
        String topic = ofValues
                ? name.substring(0, name.length() - VALUE.length())
                : ofKeys ? name.substring(0, name.length() - KEY.length()) : name;
        try {
            return new Subject(name, KafkaNames.parse(topic), ofValues);
        } catch (TopicException e) {
            throw new RegistryException(
                    RegistryException.BAD_SUBJECT, "The specified subject '" + name + "' is not valid");
        }
    }

    /** Name of the subject of a topic's values. */
    public static String ofValues(String kafkaTopic) {
        return kafkaTopic + VALUE;
    }
}
