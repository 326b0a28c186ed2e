package io.sluice.broker.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.identity.DelegationTokens.Lifetimes;
import io.sluice.broker.identity.DelegationTokens.Refusal;
import io.sluice.broker.identity.DelegationTokens.RefusedException;
import io.sluice.store.cluster.InMemoryMetadata;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DelegationTokensTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    @TempDir
    private Path folder;

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private DelegationTokens tokens;

    @BeforeEach
    void load() throws Exception {
        secret("0123456789012345678901234567890123456789");
        tokens = open();
    }

    @AfterEach
    void close() {
        tokens.close();
        metadata.close();
    }

    private void secret(String secret) throws Exception {
        Files.writeString(folder.resolve("secret"), secret);
    }

    private DelegationTokens open() throws Exception {
        var opened = new DelegationTokens(
                metadata, TASKS, folder.resolve("secret").toString(), new Lifetimes(7_000, 1_000), now::get);
        opened.load();
        return opened;
    }

    @Test
    void aTokenLivesAsLongAsItIsRenewedAndNoLongerThanItMay() throws Exception {
        DelegationToken token = tokens.issue("alice", "bob", Set.of("carol ü\n"), -1);
        assertThat(token)
                .isEqualTo(new DelegationToken(
                        token.id(), "alice", "bob", Set.of("carol ü\n"), 1_000_000, 1_007_000, 1_001_000));
        byte[] hmac = tokens.hmacOf(token);
        now.addAndGet(900);
        assertThat(tokens.renew("carol ü\n", hmac, -1).expiresAt()).isEqualTo(1_001_900);
        assertThat(tokens.renew("alice", hmac, 300).expiresAt()).isEqualTo(1_001_200);
        for (int renewal = 0; renewal < 8; renewal++) {
            tokens.renew("alice", hmac, -1);
            now.addAndGet(800);
        }
        assertThat(tokens.find(token.id())).isNull();
        expectRefusal(Refusal.EXPIRED, () -> tokens.renew("alice", hmac, -1));
        tokens.removeExpired();
        assertThat(tokens.all()).isEmpty();
        expectRefusal(Refusal.NOT_FOUND, () -> tokens.renew("alice", hmac, -1));
    }

    @Test
    void othersThanItsOwnerAndRenewersNeitherRenewNorEndIt() throws Exception {
        DelegationToken token = tokens.issue("alice", "bob", Set.of("carol"), 2_000);
        byte[] hmac = tokens.hmacOf(token);
        expectRefusal(Refusal.NOT_ITS_RENEWER, () -> tokens.renew("bob", hmac, -1));
        expectRefusal(Refusal.NOT_ITS_RENEWER, () -> tokens.expire("mallory", hmac, -1));
        expectRefusal(Refusal.NOT_FOUND, () -> tokens.expire("alice", new byte[64], -1));
        assertThat(tokens.expire("carol", hmac, 10).expiresAt()).isEqualTo(1_000_010);
        assertThat(tokens.expire("alice", hmac, -1).expiresAt()).isEqualTo(1_000_000);
        assertThat(tokens.all()).isEmpty();
    }

    @Test
    void anotherNodeKnowsItAtOnceAndHearsThatItIsGone() throws Exception {
        try (DelegationTokens other = open()) {
            DelegationToken token = tokens.issue("alice", "alice", Set.of(), -1);
            assertThat(other.findStored(token.id())).isEqualTo(token);
            String password = Base64.getEncoder().encodeToString(tokens.hmacOf(token));
            ScramCredential credential = Objects.requireNonNull(other.credential(token.id(), ScramHash.values()[0]));
            assertThat(credential.matches(ScramHash.values()[0], password)).isTrue();
            tokens.expire("alice", tokens.hmacOf(token), -1);
            await().until(() -> other.find(token.id()) == null);
        }
    }

    @Test
    void anotherSecretEndsAllThatWereMadeBefore() throws Exception {
        DelegationToken token = tokens.issue("alice", "alice", Set.of(), -1);
        byte[] before = tokens.hmacOf(token);
        secret("9876543210987654321098765432109876543210");
        tokens.loadSecret();
        assertThat(tokens.hmacOf(token)).isNotEqualTo(before);
        expectRefusal(Refusal.NOT_FOUND, () -> tokens.renew("alice", before, -1));
    }

    @Test
    void withoutASecretThereAreNone() throws Exception {
        try (var none = new DelegationTokens(metadata, TASKS, "", new Lifetimes(7_000, 1_000), now::get)) {
            none.load();
            assertThat(none.areEnabled()).isFalse();
            expectRefusal(Refusal.DISABLED, () -> none.issue("alice", "alice", Set.of(), -1));
        }
    }

    private static void expectRefusal(Refusal why, ThrowingCallable change) {
        assertThatThrownBy(change)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.refusal()).isEqualTo(why));
    }
}
