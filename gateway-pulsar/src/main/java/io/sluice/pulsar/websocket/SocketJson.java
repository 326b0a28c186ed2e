package io.sluice.pulsar.websocket;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON of Pulsar's WebSocket interface. Fields that nobody knows are not looked at. */
final class SocketJson {
    /** Longer than any frame that is taken. */
    private static final int MAX_STRING = 128 << 20;

    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(MAX_STRING)
                            .maxNestingDepth(16)
                            .build())
                    .build())
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    private SocketJson() {}

    /**
     * A message to be sent.
     *
     * @param payload in base64
     * @param context comes back with the answer
     * @param sequenceId 0 for the next
     * @param deliverAt in milliseconds since the epoch; 0 for at once
     */
    record Message(
            @Nullable String payload,
            @Nullable Map<String, String> properties,
            @Nullable String context,
            @Nullable String key,
            @Nullable List<String> replicationClusters,
            @Nullable String eventTime,
            long sequenceId,
            boolean disableReplication,
            long deliverAt,
            long deliverAfterMs) {}

    /** Command of a consumer or a reader. */
    record Command(
            @Nullable String type,
            @Nullable String messageId,
            @Nullable Integer permitMessages) {}

    static <T> T parse(String text, Class<T> as) throws BadRequestException {
        try {
            T value = MAPPER.readValue(text, as);
            if (value == null) {
                throw new BadRequestException("an object is expected");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new BadRequestException(e.getOriginalMessage());
        }
    }

    static String write(Map<String, Object> fields) {
        try {
            return MAPPER.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot be written as JSON", e);
        }
    }
}
