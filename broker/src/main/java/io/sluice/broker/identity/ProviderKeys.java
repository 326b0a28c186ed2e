package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.security.Jwk;
import io.jsonwebtoken.security.Jwks;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Key;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of an identity provider (JWKS), from a file or a URL, by their ids. They are kept until others have been read: a provider that is away for a
 * while keeps nobody out. A key that is not known is looked for once more, as providers change theirs before anybody is told. Any thread.
 */
final class ProviderKeys {
    private static final Logger log = LoggerFactory.getLogger(ProviderKeys.class);

    private static final int LARGEST_SET = 1 << 20;
    private static final int MOST_KEYS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Between two looks for keys that are not known: tokens that name others are made by anybody. */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    private final String place;
    private final boolean isUrl;
    private final LongSupplier clock;
    private final ReentrantLock turns = new ReentrantLock();
    private volatile Map<String, Key> keys = Map.of();
    private volatile long readAt;

    /**
     * @param place file or URL; empty for none
     * @param clock in nanoseconds
     */
    ProviderKeys(String place, LongSupplier clock) {
        this.clock = clock;
        this.place = place;
        this.isUrl = place.startsWith("https://") || place.startsWith("http://");
        this.readAt = clock.getAsLong() - BETWEEN_LOOKS.toNanos();
    }

    /**
     * Reads them. Blocks.
     *
     * @throws IOException they cannot be read, in one line; those that were known stay
     */
    void load() throws IOException {
        if (place.isEmpty()) {
            return;
        }
        turns.lock();
        try {
            readAt = clock.getAsLong();
            keys = parsed(isUrl ? fetched() : new String(SecretPlace.read(place), UTF_8));
        } finally {
            turns.unlock();
        }
    }

    boolean isUrl() {
        return isUrl;
    }

    /** Null if it is not known. */
    @Nullable
    Key known(String id) {
        return keys.get(id);
    }

    /**
     * Looks for a key that is not known, unless one has lately: when a provider changes its key, many clients come with the new one at once, and
     * all of them wait for the one look. Blocks for seconds at most.
     */
    void look() {
        if (place.isEmpty()) {
            return;
        }
        try {
            if (!turns.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            if (clock.getAsLong() - readAt >= BETWEEN_LOOKS.toNanos()) {
                load();
            }
        } catch (IOException e) {
            log.warn("Keys of the identity provider stay as they were: {}", e.getMessage());
        } finally {
            turns.unlock();
        }
    }

    private Map<String, Key> parsed(String text) throws IOException {
        Map<String, Key> read = new HashMap<>();
        try {
            for (Jwk<?> each : Jwks.setParser().build().parse(text).getKeys()) {
                if (each.getId() != null && read.size() < MOST_KEYS) {
                    read.put(each.getId(), each.toKey());
                }
            }
        } catch (JwtException | IllegalArgumentException e) {
            throw new IOException(place + " is no set of keys (JWKS)", e);
        }
        if (read.isEmpty()) {
            throw new IOException(place + " has no key with an id (kid)");
        }
        return read;
    }

    private String fetched() throws IOException {
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(place)).timeout(PATIENCE).build();
            HttpResponse<InputStream> answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                if (answer.statusCode() != 200) {
                    throw new IOException(place + " answered " + answer.statusCode());
                }
                byte[] bytes = body.readNBytes(LARGEST_SET + 1);
                if (bytes.length > LARGEST_SET) {
                    throw new IOException(place + " answered more than " + LARGEST_SET + " bytes");
                }
                return new String(bytes, UTF_8);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking " + place, e);
        } catch (IllegalArgumentException e) {
            throw new IOException(place + " is no URL that can be asked", e);
        } catch (IOException e) {
            throw e.getMessage() != null && e.getMessage().startsWith(place)
                    ? e
                    : new IOException(place + " cannot be asked: " + e, e);
        }
    }
}
