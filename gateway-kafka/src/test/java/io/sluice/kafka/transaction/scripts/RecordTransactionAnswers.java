package io.sluice.kafka.transaction.scripts;

import java.nio.file.Path;

/** Keeps Apache Kafka's answers for {@link TransactionAnswersTest}. Takes Kafka's port, which is new, and the file. */
public final class RecordTransactionAnswers {
    private RecordTransactionAnswers() {}

    public static void main(String[] args) throws Exception {
        RecordedAnswers.write(
                Path.of(args[1]),
                new PlayedScripts(Integer.parseInt(args[0]), "recorded")
                        .play(1, RecordedAnswers.SCRIPTS, RecordedAnswers.STEPS));
    }
}
