package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.junit.jupiter.api.Test;

/** Users and their rights, by commands and a file, while the server runs. */
class UsersCommandTest extends InitializedServer {
    private CommandRun users(String... words) {
        String[] all = new String[words.length + 5];
        all[0] = "users";
        System.arraycopy(words, 0, all, 1, words.length);
        String[] connection = {
            "--bootstrap-server",
            server.listeners().kafka(),
            "--command-config",
            made.resolve("client.properties").toString()
        };
        System.arraycopy(connection, 0, all, words.length + 1, connection.length);
        return CommandRun.of(all);
    }

    @Test
    void usersAreMadeChangedAndRemovedWhileTheServerRuns() throws Exception {
        assertThat(users("list").out()).contains("root").doesNotContain("bob");
        Path password = Files.writeString(folder.resolve("password"), "open \"sesame\"\n");
        CommandRun add = users("add", "bob", "--password-file", password.toString());
        assertThat(add.code()).as(add.err()).isZero();
        assertThat(users("list").out()).containsPattern("bob +SCRAM-SHA-256, SCRAM-SHA-512\n");
        // Known, and without any right.
        assertThatThrownBy(() -> write(of("bob", "open \\\"sesame\\\""), "of-bob"))
                .hasCauseInstanceOf(AuthorizationException.class);
        CommandRun twice = users("add", "bob", "--password-file", password.toString());
        assertThat(twice.code()).isEqualTo(1);
        assertThat(twice.err())
                .startsWith("sluice: there is a user bob already")
                .hasLineCount(1);

        Files.writeString(password, "another");
        assertThat(users("password", "bob", "--password-file", password.toString())
                        .code())
                .isZero();
        assertThatThrownBy(() -> write(of("bob", "open \\\"sesame\\\""), "of-bob"))
                .hasCauseInstanceOf(AuthenticationException.class);
        assertThatThrownBy(() -> write(of("bob", "another"), "of-bob"))
                .hasCauseInstanceOf(AuthorizationException.class);

        assertThat(users("remove", "bob").code()).isZero();
        assertThat(users("list").out()).doesNotContain("bob");
        assertThatThrownBy(() -> write(of("bob", "another"), "of-bob"))
                .hasCauseInstanceOf(AuthenticationException.class);
        for (CommandRun unknown :
                List.of(users("remove", "bob"), users("password", "bob", "--password-file", password.toString()))) {
            assertThat(unknown.code()).isEqualTo(1);
            assertThat(unknown.err()).isEqualTo("sluice: there is no user bob\n");
        }
    }

    @Test
    void aFileOfUsersAndRulesIsAppliedAgainAndAgain() throws Exception {
        Files.writeString(folder.resolve("carol.password"), "open");
        Path file = Files.writeString(folder.resolve("access.yaml"), """
                users:
                - name: carol
                  passwordFile: carol.password
                  rules:
                  - {resource: topic, name: of-carol, operations: [write, create]}
                groups:
                - name: staff
                  rules: [{resource: topic, name: of-, pattern: prefixed, operations: [read]}]
                """);
        CommandRun first = users("apply", file.toString());
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.out().lines())
                .containsExactlyInAnyOrder(
                        "Made the user carol",
                        "Added: User:carol ALLOW WRITE on TOPIC of-carol",
                        "Added: User:carol ALLOW CREATE on TOPIC of-carol",
                        "Added: Group:staff ALLOW READ on TOPIC with of-");
        write(of("carol", "open"), "of-carol");
        CommandRun again = users("apply", file.toString());
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.out()).isEmpty();

        Files.writeString(file, Files.readString(file).replace("[write, create]", "[create]"));
        assertThat(users("apply", file.toString()).out())
                .isEqualTo("Took away: User:carol ALLOW WRITE on TOPIC of-carol\n");
        assertThatThrownBy(() -> write(of("carol", "open"), "of-carol"))
                .hasCauseInstanceOf(AuthorizationException.class);

        Files.writeString(file, "users: [{name: carol, remove: true}]\ngroups: [{name: staff, rules: []}]");
        assertThat(users("apply", file.toString()).out().lines())
                .containsExactlyInAnyOrder(
                        "Took away: User:carol ALLOW CREATE on TOPIC of-carol",
                        "Removed the user carol",
                        "Took away: Group:staff ALLOW READ on TOPIC with of-");
        assertThatThrownBy(() -> write(of("carol", "open"), "of-carol"))
                .hasCauseInstanceOf(AuthenticationException.class);
        Files.writeString(file, "users: [{name: carol, rules: [{resource: topic, name: x, operations: [see]}]}]");
        CommandRun wrong = users("apply", file.toString());
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err()).startsWith("sluice: ").contains("'see'").hasLineCount(1);
    }

    @Test
    void aClientThatIsNotLetInIsToldSoInOneLine() throws Exception {
        Path wrong = Files.writeString(
                folder.resolve("wrong.properties"),
                Files.readString(made.resolve("client.properties")).replaceFirst("password=\"", "$0x"));
        CommandRun run = CommandRun.of(
                "users",
                "list",
                "--bootstrap-server",
                server.listeners().kafka(),
                "--command-config",
                wrong.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: ")
                .contains("Authentication failed")
                .hasLineCount(1);
    }

    private KafkaConsumer<String, String> member(String group, String protocol) throws Exception {
        Properties settings = kafkaSettings();
        String login = settings.getProperty("sasl.jaas.config");
        settings.setProperty(
                "sasl.jaas.config",
                login.replaceAll("username=\".*", "username=\"walter\" password=\"walters secret\";"));
        settings.setProperty("group.id", group);
        settings.setProperty("group.protocol", protocol);
        var member = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        member.subscribe(List.of("counted"));
        return member;
    }

    private KafkaConsumer<String, String> joined(String group, String protocol) throws Exception {
        KafkaConsumer<String, String> member = member(group, protocol);
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            member.poll(Duration.ofMillis(100));
            return !member.assignment().isEmpty();
        });
        return member;
    }

    private void expectNoMember(String group, String protocol) throws Exception {
        try (KafkaConsumer<String, String> member = member(group, protocol)) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThatThrownBy(() -> member.poll(Duration.ofSeconds(10)))
                            .isInstanceOf(GroupMaxSizeReachedException.class));
        }
    }

    @Test
    void aUserHasSoManySubscriptionsOverBothProtocols() throws Exception {
        write(kafkaSettings(), "counted");
        Files.writeString(folder.resolve("walter.password"), "walters secret");
        Path access = Files.writeString(folder.resolve("walter.yaml"), """
                users:
                  - name: walter
                    passwordFile: walter.password
                    rules:
                      - {resource: topic, name: counted, operations: [read]}
                      - {resource: group, name: '*', operations: [read]}
                """);
        CommandRun applied = users("apply", access.toString());
        assertThat(applied.code()).as(applied.err()).isZero();
        String token = Tokens.sign(TokenKeys.secret(made.resolve("token-secret")), "walter", Set.of(), null);
        try (PulsarClient client = pulsar(settings(made.resolve("client.conf")))
                        .authentication(AuthenticationFactory.token(token))
                        .build();
                var one = client.newConsumer()
                        .topic("counted")
                        .subscriptionName("one")
                        .subscribe();
                var two = client.newConsumer()
                        .topic("counted")
                        .subscriptionName("two")
                        .subscribe();
                var classic = joined("classic", "classic");
                var newer = joined("newer", "consumer")) {
            assertThatThrownBy(() -> client.newConsumer()
                            .topic("counted")
                            .subscriptionName("three")
                            .subscribe())
                    .isInstanceOf(PulsarClientException.NotAllowedException.class)
                    .hasMessageContaining(MOST_SUBSCRIPTIONS + " subscriptions");
            expectNoMember("more", "classic");
            expectNoMember("more", "consumer");
            one.close();
            joined("instead", "classic").close();
            newer.close();
            joined("instead", "consumer").close();
            classic.close();
            two.close();
            for (int i = 0; i < MOST_SUBSCRIPTIONS; i++) {
                client.newConsumer()
                        .topic("counted")
                        .subscriptionName("again " + i)
                        .subscribe();
            }
        }
    }
}
