package io.sluice.kafka.transaction.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.transaction.TransactionServer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Random scripts of transactions, misuse among them, are answered as Apache Kafka 4.4 answers them, field by field, but for the differences
 * that {@link Differences} knows. Kafka's answers are recorded by {@code conformance/compare-kafka-transactions --record}.
 */
class TransactionAnswersTest {
    @Test
    void answersAreThoseOfApacheKafka() throws Exception {
        List<List<String>> kafkas = recorded();
        Differences differences = new Differences();
        try (TransactionServer server = new TransactionServer()) {
            List<List<String>> ours = new PlayedScripts(server.port(), "recorded")
                    .play(1, RecordedAnswers.SCRIPTS, RecordedAnswers.STEPS);
            for (int script = 0; script < kafkas.size(); script++) {
                differences.compare(script + 1, kafkas.get(script), ours.get(script));
            }
        }
        assertThat(differences.unknown()).as(differences.toString()).isEmpty();
        assertThat(differences.equal()).as(differences.toString()).isGreaterThan(RecordedAnswers.SCRIPTS * 30);
    }

    private static List<List<String>> recorded() throws Exception {
        try (InputStream file = Objects.requireNonNull(
                TransactionAnswersTest.class.getResourceAsStream("/kafka-4.4.0-transaction-answers.txt"))) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return RecordedAnswers.read(text.lines().toList());
        }
    }
}
