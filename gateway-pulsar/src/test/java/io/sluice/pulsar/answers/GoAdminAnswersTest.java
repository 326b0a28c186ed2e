package io.sluice.pulsar.answers;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every method of Go's admin client, which pulsarctl's commands are made of, comes to what it comes to with Apache Pulsar, or {@code
 * go-admin-differences.txt} says why not.
 */
@Timeout(900)
class GoAdminAnswersTest {
    private static AskedGateway gateway;
    private static ComparedAnswers answers;

    @BeforeAll
    static void ask() throws Exception {
        GoAdmin.requireGo();
        gateway = new AskedGateway();
        answers = new ComparedAnswers(
                ComparedAnswers.recorded("/pulsar-4.2.4-go-admin-answers.json"),
                GoAdmin.answers(gateway.http(), gateway.binary()),
                "/go-admin-differences.txt");
    }

    @AfterAll
    static void stop() throws Exception {
        if (gateway != null) {
            gateway.close();
        }
    }

    @Test
    void pulsarWasAskedTheSame() {
        answers.checkQuestionsAreTheSame();
    }

    @Test
    void answersArePulsarsButForWhatIsOnPurpose() throws IOException {
        answers.checkDifferencesAreOnPurpose();
    }
}
