package io.sluice.broker.identity;

import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A user of both protocols.
 *
 * @param groups in which the user is, for an authorizer
 * @param credentials by hash; at least one
 */
public record User(String name, Set<String> groups, Map<ScramHash, ScramCredential> credentials) {
    /** Longest name in characters: a certificate's whole name fits. */
    public static final int LONGEST_NAME = 512;

    public User {
        groups = Set.copyOf(groups);
        credentials = Map.copyOf(credentials);
    }

    /** A user whose password proves itself to every mechanism. Takes milliseconds of a processor. */
    public static User of(String name, Set<String> groups, String password, SecureRandom random) {
        Map<ScramHash, ScramCredential> credentials = new EnumMap<>(ScramHash.class);
        for (ScramHash hash : ScramHash.values()) {
            credentials.put(hash, ScramCredential.of(hash, password, random));
        }
        return new User(name, groups, credentials);
    }

    public @Nullable ScramCredential credential(ScramHash hash) {
        return credentials.get(hash);
    }

    /** The same user with another credential. */
    public User with(ScramHash hash, ScramCredential credential) {
        Map<ScramHash, ScramCredential> changed = new EnumMap<>(ScramHash.class);
        changed.putAll(credentials);
        changed.put(hash, credential);
        return new User(name, groups, changed);
    }

    /** The same user with one credential less; null if that was the last. */
    public @Nullable User without(ScramHash hash) {
        Map<ScramHash, ScramCredential> changed = new EnumMap<>(ScramHash.class);
        changed.putAll(credentials);
        changed.remove(hash);
        return changed.isEmpty() ? null : new User(name, groups, changed);
    }

    /** Whether it is the password, by the credential that takes the least to compute. Takes milliseconds of a processor. */
    boolean hasPassword(String password) {
        for (ScramHash hash : ScramHash.values()) {
            ScramCredential credential = credentials.get(hash);
            if (credential != null) {
                return credential.matches(hash, password);
            }
        }
        return false;
    }

    /** Names of the groups in an order of their own. */
    public Set<String> sortedGroups() {
        return new TreeSet<>(groups);
    }
}
