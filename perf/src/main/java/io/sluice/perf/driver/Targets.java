package io.sluice.perf.driver;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Which client speaks to an address. */
public final class Targets {
    private Targets() {}

    /**
     * @param url {@code kafka://HOST:PORT} or {@code pulsar://HOST:PORT?http=http://HOST:PORT}, the latter for its admin calls
     * @throws IllegalArgumentException no client for it; the message tells a user what to give
     */
    public static Target connect(String url) throws Exception {
        URI address = URI.create(url);
        if (address.getHost() == null || address.getPort() < 0) {
            throw new IllegalArgumentException("'" + url + "' names no host and port");
        }
        String hostAndPort = address.getHost() + ":" + address.getPort();
        return switch (protocol(url)) {
            case "kafka" -> new KafkaTarget(hostAndPort);
            case "pulsar" -> new PulsarTarget("pulsar://" + hostAndPort, http(address));
            default ->
                throw new IllegalArgumentException(
                        "no client for '" + url + "'; give kafka://HOST:PORT or pulsar://HOST:PORT?http=URL");
        };
    }

    public static String protocol(String url) {
        int end = url.indexOf(':');
        return end < 0 ? url : url.substring(0, end);
    }

    private static String http(URI address) {
        @Nullable String query = address.getQuery();
        return query != null && query.startsWith("http=")
                ? query.substring("http=".length())
                : "http://" + address.getHost() + ":8080";
    }
}
