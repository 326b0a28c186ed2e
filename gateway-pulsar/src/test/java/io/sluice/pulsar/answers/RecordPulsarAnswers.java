package io.sluice.pulsar.answers;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs the scenario, or that of scalable topics, against a new Apache Pulsar and keeps its answers; {@code
 * conformance/record-pulsar-answers} starts one.
 */
final class RecordPulsarAnswers {
    private RecordPulsarAnswers() {}

    /** Arguments: which scenario, the server's {@code http://} URL, its {@code pulsar://} URL, the file to write. */
    public static void main(String[] args) throws IOException {
        if (args.length != 4) {
            System.err.println("usage: RecordPulsarAnswers classic|scalable http://HOST:PORT pulsar://HOST:PORT FILE");
            System.exit(2);
        }
        boolean scalable = args[0].equals("scalable");
        AnswerFile.write(Path.of(args[3]), scalable ? Scenario.runScalable(args[1]) : Scenario.run(args[1], args[2]));
    }
}
