package io.sluice.pulsar.answers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs the scenario, or that of scalable topics, or Go's admin client, against a new Apache Pulsar and keeps its answers; {@code
 * conformance/record-pulsar-answers} starts one.
 */
final class RecordPulsarAnswers {
    private RecordPulsarAnswers() {}

    /** Arguments: which scenario, the server's {@code http://} URL, its {@code pulsar://} URL, the file to write. */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length != 4) {
            System.err.println(
                    "usage: RecordPulsarAnswers classic|scalable|go http://HOST:PORT pulsar://HOST:PORT FILE");
            System.exit(2);
        }
        List<Answer> answers = switch (args[0]) {
            case "scalable" -> Scenario.runScalable(args[1]);
            case "go" -> GoAdmin.answers(args[1], args[2]);
            default -> Scenario.run(args[1], args[2]);
        };
        AnswerFile.write(Path.of(args[3]), answers);
    }
}
