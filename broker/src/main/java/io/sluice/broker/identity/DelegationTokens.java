package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Delegation tokens: loaded once, then kept in memory, and corrected when the store tells of a change that another node made. What a client
 * proves that it knows is the HMAC of the token's id by a secret that all nodes have; it is stored nowhere. What reads or writes the store
 * blocks.
 */
public final class DelegationTokens implements AutoCloseable {
    private static final String ROOT = "/sluice/delegation-tokens";
    /** Two kilobytes of heap each, with names of usual length. */
    private static final int MOST_TOKENS = 10_000;

    private static final int MOST_RENEWERS = 100;
    private static final int ID_BYTES = 16;
    private static final Pattern ID = Pattern.compile("[\\w-]{22}");
    private static final String MAC = "HmacSHA512";

    private final Metadata metadata;
    private final String secretPlace;
    private final Lifetimes lifetimes;
    private final LongSupplier clock;
    private final SecureRandom random = new SecureRandom();
    private final RecordWatch<String> watch;
    private final Map<String, Known> byId = new ConcurrentHashMap<>();
    /** Null where there are no delegation tokens. */
    private volatile @Nullable SecretKey secret;

    /**
     * Bounds of the lives of tokens, in milliseconds.
     *
     * @param most from a token's issue to its end
     * @param renewed from its issue, or its last renewal, until it expires
     */
    public record Lifetimes(long most, long renewed) {}

    /** Reason of a refusal. */
    public enum Refusal {
        DISABLED,
        NOT_FOUND,
        EXPIRED,
        NOT_ITS_RENEWER,
        NO_ROOM
    }

    /** The request cannot be carried out. */
    public static final class RefusedException extends Exception {
        private final Refusal refusal;

        RefusedException(Refusal refusal) {
            super(refusal.name(), null, false, false);
            this.refusal = refusal;
        }

        public Refusal refusal() {
            return refusal;
        }
    }

    /** A token with what was computed from the secret. */
    private static final class Known {
        final DelegationToken token;
        final byte[] hmac;
        final Map<ScramHash, ScramCredential> credentials = new ConcurrentHashMap<>();

        Known(DelegationToken token, byte[] hmac) {
            this.token = token;
            this.hmac = hmac;
        }
    }

    /**
     * @param secretPlace as {@link SecretPlace} has it; empty for no tokens
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param clock milliseconds since the epoch
     */
    public DelegationTokens(
            Metadata metadata, Executor tasks, String secretPlace, Lifetimes lifetimes, LongSupplier clock) {
        this.metadata = metadata;
        this.secretPlace = secretPlace;
        this.lifetimes = lifetimes;
        this.clock = clock;
        this.watch = new RecordWatch<>(metadata, ROOT, DelegationTokens::idAt, tasks, this::read, this::knownIds);
    }

    /** Before anybody is asked for a token; blocks. */
    public void load() throws IOException {
        loadSecret();
        for (String id : knownIds()) {
            read(id);
        }
        watch.start();
    }

    /** Reads the secret again. With another one no token that was issued before is good any more; blocks. */
    public synchronized void loadSecret() throws IOException {
        if (secretPlace.isEmpty()) {
            return;
        }
        SecretKey now = new SecretKeySpec(TokenKeys.secret(secretPlace).getEncoded(), MAC);
        SecretKey before = secret;
        if (before == null || !MessageDigest.isEqual(now.getEncoded(), before.getEncoded())) {
            secret = now;
            byId.replaceAll((_, known) -> known(now, known.token));
        }
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private static @Nullable String idAt(String path) {
        String id = path.substring(ROOT.length() + 1);
        return ID.matcher(id).matches() ? id : null;
    }

    private static String path(String id) {
        return ROOT + '/' + id;
    }

    private Set<String> knownIds() throws IOException {
        Set<String> ids = new HashSet<>(byId.keySet());
        for (String element : metadata.children(ROOT)) {
            if (ID.matcher(element).matches()) {
                ids.add(element);
            }
        }
        return ids;
    }

    private synchronized boolean read(String id) throws IOException {
        Metadata.Versioned there = metadata.get(path(id));
        SecretKey key = secret;
        if (there == null || key == null) {
            byId.remove(id);
        } else {
            byId.put(id, known(key, DelegationToken.decode(id, there.value())));
        }
        return true;
    }

    private static Known known(SecretKey key, DelegationToken token) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            return new Known(token, mac.doFinal(token.id().getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks " + MAC, e);
        }
    }

    public boolean areEnabled() {
        return secret != null;
    }

    /** All that have not been taken away, expired ones for a while. Any thread. */
    public List<DelegationToken> all() {
        return byId.values().stream().map(known -> known.token).toList();
    }

    /** Proof that a client knows the token; empty for one that is not there. Any thread. */
    public byte[] hmacOf(DelegationToken token) {
        Known known = byId.get(token.id());
        return known == null ? new byte[0] : known.hmac.clone();
    }

    /** Null if there is none that is good now. Any thread. */
    public @Nullable DelegationToken find(String id) {
        Known known = byId.get(id);
        return known == null || known.token.isExpired(clock.getAsLong()) ? null : known.token;
    }

    /** As {@link #find}, also one that another node has issued just now. Blocks. */
    @Nullable
    DelegationToken findStored(String id) throws IOException {
        if (areEnabled() && !byId.containsKey(id) && ID.matcher(id).matches()) {
            read(id);
        }
        return find(id);
    }

    /** Proof for SCRAM, where the password is the HMAC in base64. Takes milliseconds of a processor the first time; null without the token. */
    @Nullable
    ScramCredential credential(String id, ScramHash hash) {
        Known known = byId.get(id);
        return known == null
                ? null
                : known.credentials.computeIfAbsent(
                        hash,
                        each -> ScramCredential.of(each, Base64.getEncoder().encodeToString(known.hmac), random));
    }

    /**
     * Issues a token.
     *
     * @param lifetime in milliseconds, up to the most that there may be; that if it is not positive
     */
    public synchronized DelegationToken issue(String owner, String requester, Set<String> renewers, long lifetime)
            throws IOException, RefusedException {
        if (!areEnabled()) {
            throw new RefusedException(Refusal.DISABLED);
        }
        if (byId.size() >= MOST_TOKENS || renewers.size() > MOST_RENEWERS) {
            throw new RefusedException(Refusal.NO_ROOM);
        }
        long now = clock.getAsLong();
        long end = now + (lifetime > 0 ? Math.min(lifetime, lifetimes.most) : lifetimes.most);
        var token = new DelegationToken(
                newId(), owner, requester, renewers, now, end, Math.min(end, now + lifetimes.renewed));
        metadata.putOrFind(path(token.id()), token.encode(), Metadata.ABSENT);
        read(token.id());
        return token;
    }

    private static String newId() {
        UUID id = UUID.randomUUID();
        ByteBuffer bytes = ByteBuffer.allocate(ID_BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /**
     * Has a token expire later.
     *
     * @param period in milliseconds, up to that of a renewal; that if it is not positive
     * @return the token as it is now
     */
    public DelegationToken renew(String by, byte[] hmac, long period) throws IOException, RefusedException {
        long time = period > 0 ? Math.min(period, lifetimes.renewed) : lifetimes.renewed;
        return change(by, hmac, time, true);
    }

    /**
     * Has a token expire at another time.
     *
     * @param period in milliseconds from now; at once if it is negative
     * @return the token as it is now, or was
     */
    public DelegationToken expire(String by, byte[] hmac, long period) throws IOException, RefusedException {
        return change(by, hmac, period, period >= 0);
    }

    private synchronized DelegationToken change(String by, byte[] hmac, long period, boolean stays)
            throws IOException, RefusedException {
        if (!areEnabled()) {
            throw new RefusedException(Refusal.DISABLED);
        }
        String id = idOf(hmac);
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned there = id == null ? null : metadata.get(path(id));
            if (id == null || there == null) {
                throw new RefusedException(Refusal.NOT_FOUND);
            }
            DelegationToken before = DelegationToken.decode(id, there.value());
            long now = clock.getAsLong();
            boolean expired = before.isExpired(now);
            if (!before.isRenewedBy(by)) {
                throw new RefusedException(Refusal.NOT_ITS_RENEWER);
            }
            if (stays && expired) {
                throw new RefusedException(Refusal.EXPIRED);
            }
            long end = now + Math.clamp(period, 0, Long.MAX_VALUE - now);
            DelegationToken after = before.expiringAt(Math.min(before.lastsUntil(), end));
            try {
                if (stays) {
                    metadata.putOrFind(path(id), after.encode(), there.version());
                } else {
                    metadata.delete(path(id), there.version());
                }
                read(id);
                return after;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private @Nullable String idOf(byte[] hmac) {
        for (Known known : byId.values()) {
            if (MessageDigest.isEqual(known.hmac, hmac)) {
                return known.token.id();
            }
        }
        return null;
    }

    /** Takes away what has expired; blocks. All nodes may do so. */
    public void removeExpired() throws IOException {
        long now = clock.getAsLong();
        for (DelegationToken token : all()) {
            if (token.isExpired(now)) {
                removeIfExpired(token.id(), now);
            }
        }
    }

    private synchronized void removeIfExpired(String id, long now) throws IOException {
        Metadata.Versioned there = metadata.get(path(id));
        if (there != null && DelegationToken.decode(id, there.value()).isExpired(now)) {
            try {
                metadata.delete(path(id), there.version());
            } catch (Metadata.VersionMismatch changedMeanwhile) {
                return;
            }
        }
        read(id);
    }
}
