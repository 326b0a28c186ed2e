package io.sluice.pulsar.connection;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * Producers that were closed because a send of theirs was refused for good, for clients that do not understand such an answer to a send.
 * Go's forgets the producer and lets all its sends time out; C++'s, which Python and Node use, connects again and sends the same again. Both
 * fail all sends at once when they are told, creating the producer again, that it is fenced or the topic terminated.
 *
 * <pre>
 *   refused send ─► CLOSE_PRODUCER ─► PRODUCER of the same id: ERROR ─► the client fails the producer with all it has not heard of
 * </pre>
 *
 * Event loop only.
 */
public final class FinalRefusals {
    /** Beginnings of the versions that the clients give; with a space Go's of some years ago. */
    private static final List<String> VERSIONS = List.of("Pulsar-Go-", "Pulsar Go ", "Pulsar-CPP-");

    /** Producers remembered per connection; clients come back at once, so the oldest go first. */
    private static final int MOST_PRODUCERS = 1_000;

    private final Map<Long, Refusal> byProducer = new LinkedHashMap<>();

    /** Answer to the producer's next PRODUCER. */
    public record Refusal(ServerError error, String message) {}

    /** Whether clients of this version must hear of a refused send in this way. */
    static boolean areFor(String clientVersion) {
        return VERSIONS.stream().anyMatch(clientVersion::startsWith);
    }

    /** Whether a send that is refused so will never be accepted. */
    static boolean isFinal(ServerError error) {
        return error == ServerError.NotAllowedError || error == ServerError.TopicTerminatedError;
    }

    void keep(long producerId, ServerError ofSend, String message) {
        ServerError error = ofSend == ServerError.TopicTerminatedError
                ? ServerError.TopicTerminatedError
                : ServerError.ProducerFenced;
        byProducer.put(producerId, new Refusal(error, message));
        if (byProducer.size() > MOST_PRODUCERS) {
            byProducer.remove(byProducer.keySet().iterator().next());
        }
    }

    /** Null if no send of the producer was refused for good; it is told once. */
    public @Nullable Refusal take(long producerId) {
        return byProducer.remove(producerId);
    }
}
