package io.sluice.server.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.identity.SecretPlace;
import io.sluice.store.tls.TrustedAuthorities;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * How the check shows who it is, and whom it trusts.
 *
 * @param kafka settings of a Kafka client
 * @param shown to Pulsar and HTTP: a token, or {@code name:password}; null for nothing
 * @param tls of connections to Pulsar and HTTP
 */
record Credentials(Map<String, Object> kafka, @Nullable String shown, SSLSocketFactory tls) {
    /**
     * Reads the files; null for those that are not given.
     *
     * @param config of a Kafka client's settings
     * @param shown file, or {@code env:NAME}, with a token, or {@code name:password}, in one line
     * @param authority certificates, PEM, that are trusted in place of the system's
     */
    static Credentials read(@Nullable Path config, @Nullable String shown, @Nullable Path authority)
            throws CheckException {
        return new Credentials(
                config == null ? Map.of() : settings(config),
                shown == null ? null : line(shown),
                authority == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : trusting(authority));
    }

    private static Map<String, Object> settings(Path file) throws CheckException {
        var given = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            given.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new CheckException("--command-config: cannot read " + file);
        }
        Map<String, Object> settings = new HashMap<>();
        given.stringPropertyNames().forEach(name -> settings.put(name, given.getProperty(name)));
        return settings;
    }

    private static String line(String place) throws CheckException {
        try {
            String shown = new String(SecretPlace.read(place), UTF_8).strip();
            if (shown.isEmpty() || shown.chars().anyMatch(Character::isISOControl)) {
                throw new CheckException("--credentials: " + place + " has to be one line that is not empty");
            }
            return shown;
        } catch (IOException e) {
            throw new CheckException("--credentials: cannot read " + place);
        }
    }

    private static SSLSocketFactory trusting(Path file) throws CheckException {
        try {
            return TrustedAuthorities.in(file).getSocketFactory();
        } catch (IOException e) {
            throw new CheckException("--ca: " + e.getMessage());
        }
    }

    /** A password, not a token. */
    private boolean isPassword() {
        return shown != null && shown.indexOf(':') > 0;
    }

    /** Header of HTTP; null if nothing is shown. */
    @Nullable
    String authorization() {
        if (shown == null) {
            return null;
        }
        return isPassword() ? "Basic " + Base64.getEncoder().encodeToString(shown.getBytes(UTF_8)) : "Bearer " + shown;
    }

    /** Pulsar's name of the way in which it is shown. */
    String pulsarMethod() {
        return shown == null ? "none" : isPassword() ? "basic" : "token";
    }

    String pulsarData() {
        return shown == null ? "" : shown;
    }
}
