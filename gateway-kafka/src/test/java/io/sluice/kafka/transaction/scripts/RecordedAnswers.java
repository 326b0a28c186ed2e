package io.sluice.kafka.transaction.scripts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What Apache Kafka answered to the first scripts, one answer a line, a head line before each script. */
final class RecordedAnswers {
    static final int SCRIPTS = 16;
    static final int STEPS = 40;

    private static final String HEAD = "# script ";

    private RecordedAnswers() {}

    /** @param scripts those of the seeds from 1 on */
    static void write(Path file, List<List<String>> scripts) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int script = 0; script < scripts.size(); script++) {
            lines.add(HEAD + (script + 1));
            lines.addAll(scripts.get(script));
        }
        Files.write(file, lines);
    }

    static List<List<String>> read(List<String> lines) {
        List<List<String>> scripts = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(HEAD)) {
                scripts.add(new ArrayList<>());
            } else {
                scripts.getLast().add(line);
            }
        }
        return scripts;
    }
}
