package io.sluice.pulsar.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every JSON field of every answer is Apache Pulsar's, or {@code pulsar-differences.txt} says why not. Clients read answers into
 * types of their own, and some end where a field is not there.
 */
@Timeout(120)
class PulsarAnswersTest {
    private static AskedGateway gateway;
    private static ComparedAnswers answers;

    @BeforeAll
    static void ask() throws Exception {
        gateway = new AskedGateway();
        answers = new ComparedAnswers(
                ComparedAnswers.recorded("/pulsar-4.2.4-answers.json"),
                Scenario.run(gateway.http(), gateway.binary()),
                "/pulsar-differences.txt");
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

    /**
     * Routes of Pulsar 5, asked in {@link ScalableAnswersTest}, and of Sluice's own durability: Pulsar 4 has no answer to compare. And those
     * of transactions, which Pulsar's own admin client asks in {@code TransactionAdminTest}: the scenario has none. Permissions on several topics
     * are asked in {@code TopicPermissionsTest}, those on topics that are not kept in {@code PermissionsTest}. Pulsar 4.2.4 never answers about the backlog of a topic that is in use, for which there is
     * {@code MessagesByAdminTest}. Properties of non-persistent topics are refused by both, as is what is about positions in them, and they
     * have no shadow topics. Routes of the schema registry are not Pulsar's. Figures of a broker are of its own kind in each server; their
     * fields are in {@code AdminTest}. What a broker owns is asked under its address, which differs: {@code TwoNodesAdminTest}.
     */
    private static final Pattern ASKED_ELSEWHERE = Pattern.compile(ScalableAnswersTest.ROUTES.pattern()
            + "|/durability$|^/admin/v3/transactions/|^/admin/v2/non-persistent/.*/permissions(/.*)?$|PermissionsOnTopics$|/:topic/backlog$|^/admin/v2/broker-stats/|/ownedNamespaces$"
            + "|^/admin/v2/non-persistent/.*/(properties|shadowTopics)$"
            + "|^/admin/v2/non-persistent/.*/(expireMessages|skip|resetcursor|position)(/.*)?$"
            + "|^/admin/v2/non-persistent/.*/subscription/:subscription$"
            + "|^/admin/v2/non-persistent/.*/(skip_all|analyzeBacklog|replicatedSubscriptionStatus|lastMessageId)$"
            + "|^/admin/v2/non-persistent/.*/(backlogSize|internal-info|terminate|terminate/partitions|truncate)$"
            + "|^/(subjects|schemas|compatibility|config|mode|contexts)(/|$)");

    @Test
    void everyRouteIsAskedForSomethingThatIsThere() {
        assertThat(gateway.unasked(ASKED_ELSEWHERE.asPredicate().negate(), answers.ours()))
                .isEmpty();
    }
}
