package io.sluice.kafka.fuzz;

import io.sluice.testing.fuzz.FuzzRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damaged requests cost nobody else anything. */
class KafkaFuzzTest {
    /**
     * Kafka's own group coordinator: on members' metadata that does not parse, on a static member with a dynamic one's id, and
     * when a classic group that has not chosen a protocol yet is to become a group of the new protocol. And when a round's
     * server is closed while a group's write is under way.
     */
    private static final List<String> TOLERATED = List.of(
            "Failed to parse Consumer Protocol",
            "the embedded consumer protocol is malformed",
            "Received unexpected JoinGroup with groupInstanceId=",
            "hit an unexpected exception: No value present",
            "failed due to EventProcessor is closed");

    @Test
    void damagedRequestsCostNobodyElseAnything() {
        new FuzzRun("gateway-kafka", "KafkaFuzzTest", TOLERATED, seed -> new FuzzedKafka()).run();
    }
}
