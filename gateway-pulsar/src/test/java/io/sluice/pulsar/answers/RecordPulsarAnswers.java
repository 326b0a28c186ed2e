package io.sluice.pulsar.answers;

import java.io.IOException;
import java.nio.file.Path;

/** Runs the scenario against a new Apache Pulsar and keeps its answers; {@code conformance/record-pulsar-answers} starts one. */
final class RecordPulsarAnswers {
    private RecordPulsarAnswers() {}

    /** Arguments: the server's {@code http://} URL, its {@code pulsar://} URL, the file to write. */
    public static void main(String[] args) throws IOException {
        if (args.length != 3) {
            System.err.println("usage: RecordPulsarAnswers http://HOST:PORT pulsar://HOST:PORT FILE");
            System.exit(2);
        }
        AnswerFile.write(Path.of(args[2]), Scenario.run(args[0], args[1]));
    }
}
