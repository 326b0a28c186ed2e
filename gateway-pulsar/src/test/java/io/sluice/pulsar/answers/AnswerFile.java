package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Answers as they are kept: a list of them, for people to read, too. */
final class AnswerFile {
    private AnswerFile() {}

    static void write(Path file, List<Answer> answers) throws IOException {
        JsonArray all = new JsonArray();
        answers.forEach(a -> all.add(a.json()));
        Files.writeString(file, all.encodePrettily() + "\n");
    }

    static List<Answer> read(InputStream in) throws IOException {
        return new JsonArray(new String(in.readAllBytes(), UTF_8))
                .stream().map(JsonObject.class::cast).map(Answer::read).toList();
    }
}
