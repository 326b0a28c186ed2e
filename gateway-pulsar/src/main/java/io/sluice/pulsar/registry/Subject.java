package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.schema.TopicSchemas;
import java.net.URLEncoder;

/**
 * A subject: {@code T-value} and {@code T-key} are about topic {@code T}, by its name for Kafka clients; any other, a record's name for one, is
 * about the topic that has its name, which is asked for rights only. Names of files, which topics could not have, are encoded for that as in a URL.
 *
 * @param isOfValues whether its schemas are those of the topic's messages
 */
public record Subject(String name, TopicName topic, boolean isOfValues) {
    private static final String VALUE = TopicSchemas.VALUES;
    private static final String KEY = "-key";
    /** Begins the name of a subject of a context. */
    private static final String CONTEXT = ":.";

    private static final int MAX_LENGTH = 249;

    /** Before the names of subjects of the default context, which is the only one there is. */
    public static final String DEFAULT_CONTEXT = ":.:";

    /**
     * @param given name, with the default context before it or without
     * @throws RegistryException if the name is of another context, or too long, or has characters that cannot be seen
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
            if (name.isEmpty() || name.length() > MAX_LENGTH || name.startsWith(CONTEXT) || isUnprintable(name)) {
                throw new RegistryException(
                        RegistryException.BAD_SUBJECT, "The specified subject '" + name + "' is not valid");
            }
            return new Subject(name, TopicName.ofDefault(URLEncoder.encode(name, UTF_8)), false);
        }
    }

    /** Whether a name is of a context that is not here. */
    public static boolean isOfOtherContext(String given) {
        return given.startsWith(CONTEXT) && !given.startsWith(DEFAULT_CONTEXT);
    }

    private static boolean isUnprintable(String name) {
        return name.chars().anyMatch(Character::isISOControl);
    }

    /** Name of the subject of a topic's values. */
    public static String ofValues(String kafkaTopic) {
        return kafkaTopic + VALUE;
    }
}
