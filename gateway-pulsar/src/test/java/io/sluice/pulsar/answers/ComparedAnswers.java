package io.sluice.pulsar.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Answers of a Pulsar, and ours to the same questions.
 *
 * @param differences name of the resource that says what differs on purpose, and why
 */
record ComparedAnswers(List<Answer> pulsars, List<Answer> ours, String differences) {
    static List<Answer> recorded(String name) throws IOException {
        return AnswerFile.read(resource(name));
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(ComparedAnswers.class.getResourceAsStream(name), name);
    }

    void checkQuestionsAreTheSame() {
        assertThat(ours.stream().map(a -> a.step() + ": " + a.request()))
                .as("answers of Pulsar were recorded with another scenario: run conformance/record-pulsar-answers")
                .containsExactlyElementsOf(
                        pulsars.stream().map(a -> a.step() + ": " + a.request()).toList());
    }

    void checkDifferencesAreOnPurpose() throws IOException {
        List<Difference> found = Difference.between(pulsars, ours);
        DeliberateDifferences onPurpose = DeliberateDifferences.read(resource(differences));
        assertThat(lines(onPurpose.notOnPurpose(found)))
                .as("differences that have no reason")
                .isEmpty();
        assertThat(lines(onPurpose.gone(found)))
                .as("reasons for what does not differ")
                .isEmpty();
    }

    private static String lines(List<?> items) {
        return items.stream().map(Object::toString).collect(Collectors.joining("\n"));
    }
}
