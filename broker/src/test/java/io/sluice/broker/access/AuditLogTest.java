package io.sluice.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditLogTest {
    private static final Principal ALICE = new Principal("alice", Set.of(), Authentication.SCRAM, "kafka", "10.0.0.1");

    private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.NAME);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private long now;
    private final AuditLog audit = new AuditLog(() -> now);

    @BeforeEach
    void listen() {
        said.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(said);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(said);
        logger.setLevel(null);
    }

    private List<String> lines() {
        return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void tellsWhatIsRefusedAndNothingElse() {
        Authorizer all = new AuditedAuthorizer(Authorizer.ALLOW_ALL, audit);
        Authorizer none = new AuditedAuthorizer((who, operation, topic) -> false, audit);
        TopicName topic = new TopicName("public", "default", "orders");
        assertThat(all.allows(ALICE, Operation.READ, topic)).isTrue();
        assertThat(none.quietly().allows(ALICE, Operation.READ, topic)).isFalse();
        assertThat(lines()).isEmpty();
        assertThat(none.allows(ALICE, Operation.READ, topic)).isFalse();
        assertThat(none.allows(ALICE, Operation.READ, ResourceType.GROUP, "g")).isFalse();
        assertThat(none.allowsOnCluster(ALICE, Operation.ALTER)).isFalse();
        assertThat(none.allowsOnNamespace(ALICE, Operation.CREATE, "acme", "shop"))
                .isFalse();
        none.refused(ALICE, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "(0,3)");
        none.quietly().refused(ALICE, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "(0,4)");
        assertThat(none.allows(ALICE.through(new Principal("proxy")), Operation.READ, topic))
                .isFalse();
        String start = "refused user=alice host=10.0.0.1 listener=kafka operation=";
        assertThat(lines())
                .containsExactly(
                        start + "READ resource=TOPIC:orders",
                        start + "READ resource=GROUP:g",
                        start + "ALTER resource=CLUSTER:kafka-cluster",
                        start + "CREATE resource=TOPIC:_ns.acme.shop.",
                        start + "WRITE resource=\"TRANSACTIONAL_ID:(0,3)\"",
                        start.replace("alice", "alice proxy=proxy") + "READ resource=TOPIC:orders");
    }

    @Test
    void whatComesFromClientsStaysInItsPlace() {
        audit.loginFailed("kafka", "10.0.0.1", "PLAIN", "a\" user=root\nrefused", "x".repeat(1_000));
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith(
                        "login-failed user=\"a\\\" user=root\\u000arefused\" host=10.0.0.1 listener=kafka way=PLAIN why=")
                .hasSizeLessThan(500);
    }

    @Test
    void theSameComesOnceAMinuteWithHowOften() {
        for (int i = 0; i < 5; i++) {
            audit.loginFailed("kafka", "10.0.0.1", "PLAIN", "alice", "wrong");
        }
        String line = "login-failed user=alice host=10.0.0.1 listener=kafka way=PLAIN why=wrong";
        assertThat(lines()).containsExactly(line);
        now += Duration.ofSeconds(61).toNanos();
        audit.loginFailed("kafka", "10.0.0.1", "PLAIN", "alice", "wrong");
        assertThat(lines()).containsExactly(line, line + " before=4");
    }

    @Test
    void aFloodIsCounted() {
        for (int i = 0; i < 100_000; i++) {
            audit.loginFailed("kafka", "10.0.0.1", "PLAIN", "user-" + i, "wrong");
        }
        assertThat(lines()).hasSize(AuditLog.LINES_PER_SECOND);
        now += Duration.ofSeconds(1).toNanos();
        audit.loginFailed("kafka", "10.0.0.1", "PLAIN", "alice", "wrong");
        assertThat(lines())
                .hasSize(AuditLog.LINES_PER_SECOND + 2)
                .contains("left-out lines=" + (100_000 - AuditLog.LINES_PER_SECOND));
    }

    @Test
    void tellsChangesOfRulesAndUsers() {
        var pattern = new ResourcePattern(ResourceType.TOPIC, "orders", true);
        AuditLog.rules("added", ALICE, List.of(new AccessRule(pattern, "User:bob", "*", Operation.READ, true)));
        AuditLog.user("removed", ALICE, "bob smith");
        AuditLog.userBySetting("security.initialUsers", "root");
        assertThat(lines())
                .containsExactly(
                        "rule-added by=alice host=10.0.0.1 listener=kafka rule=allow principal=User:bob from=*"
                                + " operation=READ resources-with=TOPIC:orders",
                        "user-removed by=alice host=10.0.0.1 listener=kafka user=\"bob smith\"",
                        "user-added by=security.initialUsers user=root");
    }
}
