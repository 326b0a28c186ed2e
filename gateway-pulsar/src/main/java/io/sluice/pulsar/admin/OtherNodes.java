package io.sluice.pulsar.admin;

import java.net.http.HttpClient;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Way to the HTTP of other nodes. Its client is made with the first request: a server that is alone has none. Any thread. */
public final class OtherNodes {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final @Nullable SSLContext trust;
    private @Nullable HttpClient client;

    /** @param trust of nodes with TLS; null for that of the JDK */
    public OtherNodes(@Nullable SSLContext trust) {
        this.trust = trust;
    }

    synchronized HttpClient client() {
        HttpClient known = client;
        if (known == null) {
            HttpClient.Builder made = HttpClient.newBuilder().connectTimeout(PATIENCE);
            known = (trust == null ? made : made.sslContext(trust)).build();
            client = known;
        }
        return known;
    }
}
