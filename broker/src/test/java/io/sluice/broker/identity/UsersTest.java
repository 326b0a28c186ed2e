package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UsersTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Users users = new Users(metadata, TASKS);
    private Identities identities;

    @BeforeEach
    void load() throws IOException {
        users.load();
        identities = new Identities(
                users, new Tokens(TokenRules.NONE), CertificateNames.parse("DEFAULT"), new ClientBounds(2), 0);
    }

    @AfterEach
    void close() {
        users.close();
        metadata.close();
    }

    private void add(String name, String password) throws Exception {
        User user = User.of(name, Set.of("staff"), password, RANDOM);
        users.change(name, _ -> user);
    }

    @Test
    void aPasswordIsRightOrWrong() throws Exception {
        add("CN=a/b, O=ü", "pencil");
        Identified who = identities.password("CN=a/b, O=ü", "pencil");
        assertThat(who.name()).isEqualTo("CN=a/b, O=ü");
        assertThat(who.groups()).containsExactly("staff");
        String why = "wrong user name or password";
        assertThatThrownBy(() -> identities.password("CN=a/b, O=ü", "Pencil")).hasMessage(why);
        assertThatThrownBy(() -> identities.password("mallory", "")).hasMessage(why);
        assertThatThrownBy(() -> identities.password("nobody", "")).hasMessage(why);
        assertThatThrownBy(() -> identities.scram("mallory")).hasMessage(why);
    }

    @Test
    void computesWhatTheStandardComputes() {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        // RFC 7677: the server's signature of its example is made with this key.
        ScramCredential known = new ScramCredential(
                salt,
                Base64.getDecoder().decode("WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="),
                Base64.getDecoder().decode("wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="),
                4096);
        assertThat(known.matches(ScramHash.SHA_256, "pencil")).isTrue();
        assertThat(known.matches(ScramHash.SHA_256, "pencils")).isFalse();
        assertThat(known.toString()).isEqualTo("ScramCredential(hidden, 4096 iterations)");
    }

    @Test
    void aUserIsTheSameAfterAStartAndInOtherNodes() throws Exception {
        try (Users other = new Users(metadata, TASKS)) {
            other.load();
            add("alice", "one");
            until(() -> other.find("alice") != null);
            other.change("alice", user -> requireNonNull(user).without(ScramHash.SHA_256));
            until(() -> requireNonNull(users.find("alice")).credentials().size() == 1);
            assertThat(identities.password("alice", "one").name()).isEqualTo("alice");
            other.change("alice", _ -> null);
            until(() -> users.find("alice") == null);
            assertThat(other.all()).isEmpty();
        }
        add("alice", "two");
        try (Users again = new Users(metadata, TASKS)) {
            again.load();
            assertThat(requireNonNull(again.find("alice")).hasPassword("two")).isTrue();
            assertThat(again.all()).hasSize(1);
        }
    }

    @Test
    void aUserThatWasRemovedIsNotMadeAgainByAStart() throws Exception {
        User alice = User.of("alice", Set.of(), "one", RANDOM);
        assertThat(users.addIfNew("alice", () -> alice)).isTrue();
        assertThat(users.addIfNew("alice", () -> alice)).isFalse();
        users.change("alice", _ -> null);
        try (Users next = new Users(metadata, TASKS)) {
            next.load();
            assertThat(next.addIfNew("alice", () -> alice)).isFalse();
            assertThat(next.find("alice")).isNull();
            next.change("alice", _ -> alice);
            assertThat(next.find("alice")).as("made by an administrator").isNotNull();
        }
        assertThatThrownBy(() -> users.addIfNew("a\nb", () -> alice)).isInstanceOf(Users.RefusedException.class);
    }

    @Test
    void aRecordOfALaterServerIsNotUnderstoodInPart() throws Exception {
        byte[] record = UserRecord.encode(User.of("a", Set.of(), "b", RANDOM));
        assertThat(UserRecord.decode("a", record).credentials()).hasSize(2);
        assertThatThrownBy(() -> UserRecord.decode("a", "2\n".getBytes(UTF_8))).hasMessageContaining("version 2");
        assertThatThrownBy(() -> UserRecord.decode("a", "1\nseal x\n".getBytes(UTF_8)))
                .hasMessageContaining("'seal'");
        assertThatThrownBy(() -> UserRecord.decode("a", "1\nSCRAM-SHA-256 x\n".getBytes(UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aNameIsRefusedThatIsNone() {
        assertThatThrownBy(() -> users.change("a\nb", _ -> null)).isInstanceOf(Users.RefusedException.class);
        assertThatThrownBy(() -> users.change(" ", _ -> null)).isInstanceOf(Users.RefusedException.class);
    }

    @Test
    void anAddressHasSoManyConnections() {
        var here = InetAddress.getLoopbackAddress();
        ConnectionCounts connections = identities.connections();
        assertThat(connections.enter(here)).isTrue();
        assertThat(connections.enter(here)).isTrue();
        assertThat(connections.enter(here)).isFalse();
        connections.left(here);
        assertThat(connections.enter(here)).isTrue();
    }

    @Test
    void aUserHasSoManyConnectionsWhereThereIsABound() throws Exception {
        var bounded = new ConnectionCounts(1, 2);
        bounded.enter("alice");
        bounded.enter("alice");
        assertThatThrownBy(() -> bounded.enter("alice"))
                .isInstanceOf(LoginException.class)
                .hasMessageContaining("2 connections");
        bounded.enter("bob");
        bounded.left("alice");
        bounded.enter("alice");
        ConnectionCounts any = identities.connections();
        for (int i = 0; i < 10_000; i++) {
            any.enter("alice");
        }
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(30)).until(condition::getAsBoolean);
    }
}
