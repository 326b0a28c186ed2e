package io.sluice.pulsar.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link PulsarAnswersTest}, of scalable topics with Pulsar 5; reasons are in {@code pulsar-scalable-differences.txt}. */
@Timeout(120)
class ScalableAnswersTest {
    static final Pattern ROUTES = Pattern.compile("^/admin/v2/(scalable|segments)/");

    private static AskedGateway gateway;
    private static ComparedAnswers answers;

    @BeforeAll
    static void ask() throws Exception {
        gateway = new AskedGateway();
        answers = new ComparedAnswers(
                ComparedAnswers.recorded("/pulsar-5.0.0-M1-scalable-answers.json"),
                Scenario.runScalable(gateway.http()),
                "/pulsar-scalable-differences.txt");
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
    }

    @Test
    void pulsarWasAskedTheSame() {
        answers.checkQuestionsAreTheSame();
    }

    @Test
    void answersArePulsarsButForWhatIsOnPurpose() throws IOException {
        answers.checkDifferencesAreOnPurpose();
    }

    @Test
    void everyRouteIsAskedForSomethingThatIsThere() {
        assertThat(gateway.unasked(ROUTES.asPredicate(), answers.ours())).isEmpty();
    }
}
