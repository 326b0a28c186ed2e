package io.sluice.broker.identity;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.testing.fuzz.ForgedTokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Random;
import java.util.Set;

/** A single user, {@code alice}, for tests that try to be let in without her secrets, and the secrets with which they try. */
public final class OneUser implements AutoCloseable {
    public static final String NAME = "alice";
    public static final String PASSWORD = "open sesame";

    /** As in the server, unless a long run is to be bounded by the processors alone. */
    private static final long REFUSAL_DELAY_MILLIS =
            Long.getLong("sluice.fuzz.refusal.millis", ClientBounds.REFUSAL_DELAY_MILLIS);

    private static final String SECRET = "0123456789012345678901234567890123456789";
    private static final String ANOTHER_SECRET = "another456789012345678901234567890123456789";

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Users users = new Users(metadata, task -> Thread.ofVirtual().start(task));
    private final Identities identities;
    private final Key key;
    private final Key another;

    /** Password and token of a client. */
    public record Secrets(String password, String token) {}

    /** Decides as one that lets in who is known, and fails if it is asked for anybody else but on the listener {@code open}. */
    public static final class OnlyAlice implements Authorizer {
        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            return isAlice(principal);
        }

        @Override
        public boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
            return isAlice(principal);
        }

        @Override
        public boolean allowsOnCluster(Principal principal, Operation operation) {
            return isAlice(principal);
        }

        private static boolean isAlice(Principal principal) {
            if (!principal.listener().equals("open") && !principal.name().equals(NAME)) {
                throw new AssertionError(principal + " was let in");
            }
            return true;
        }
    }

    /** @param folder for the files of keys */
    public OneUser(Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), SECRET);
        key = TokenKeys.secret(secret);
        another = TokenKeys.secret(Files.writeString(folder.resolve("another"), ANOTHER_SECRET));
        users.load();
        User alice = User.of(NAME, Set.of(), PASSWORD, new SecureRandom());
        users.change(NAME, _ -> alice);
        Tokens tokens = new Tokens(new TokenRules(secret.toString(), "", "", "", "", "sub", "groups"));
        tokens.load();
        var bounds = new ClientBounds(1_000, 0, 0, REFUSAL_DELAY_MILLIS);
        identities = new Identities(users, tokens, CertificateNames.parse(""), bounds, 0);
    }

    public Users users() {
        return users;
    }

    public Identities identities() {
        return identities;
    }

    /** Secrets that let in. */
    public Secrets right() {
        return new Secrets(PASSWORD, Tokens.sign(key, NAME, Set.of(), null));
    }

    /**
     * Secrets that let nobody in: another password, and a token that is forged in one of the known ways. Both are far enough from
     * the right ones for no damage to mend them.
     */
    public Secrets wrong(Random random) {
        return new Secrets(random.nextBoolean() ? "nothing like it" : NAME, forged(random));
    }

    private String forged(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> Tokens.sign(key, NAME, Set.of(), Instant.EPOCH.plusSeconds(1));
            case 1 -> Tokens.sign(another, NAME, Set.of(), null);
            default -> ForgedTokens.of(right().token(), random);
        };
    }

    @Override
    public void close() {
        users.close();
        metadata.close();
    }
}
