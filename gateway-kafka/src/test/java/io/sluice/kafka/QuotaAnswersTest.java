package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Changes and descriptions of client quotas are answered as Apache Kafka 4.4 answers them, but for the differences that docs/results lists. Kafka's
 * answers are recorded by {@code conformance/record-kafka-quotas}.
 */
class QuotaAnswersTest {
    /** Requests that Kafka carries out: less than a nanosecond a second, what is not kept to here, names that are too long or odd. */
    private static final List<String> REFUSED = List.of(
            "request_percentage=1.0E-9",
            "controller_mutation_rate=",
            "{ip:10.0.0.1 connection_creation_rate=",
            "{ip:<null> connection_creation_rate=",
            "{user:a... request_percentage=",
            "{user:a^b request_percentage=");

    @Test
    void answersAreThoseOfApacheKafka() throws Exception {
        try (TestGateway gateway = new TestGateway()) {
            assertThat(QuotaScript.play(gateway.port))
                    .hasSizeGreaterThan(200)
                    .isEqualTo(recorded().stream().map(QuotaAnswersTest::ours).toList());
        }
    }

    /** Our answer, by Kafka's. */
    private static String ours(String line) {
        int arrow = line.indexOf(QuotaScript.ARROW);
        String asked = line.substring(0, arrow);
        String answer = line.substring(arrow);
        if (REFUSED.stream().anyMatch(asked::contains)) {
            return asked + answer.replaceFirst(" NONE], .*", " INVALID_REQUEST], {}");
        }
        // A percentage is kept in whole nanoseconds a second, at most as many as a long has, and bytes are whole.
        return asked
                + answer.replace("1.0E300", Double.toString(Long.MAX_VALUE / 1e7))
                        .replace("1.0000001", "1.0");
    }

    private static List<String> recorded() throws Exception {
        try (InputStream file =
                Objects.requireNonNull(QuotaAnswersTest.class.getResourceAsStream("/kafka-4.4.0-quota-answers.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }
}
