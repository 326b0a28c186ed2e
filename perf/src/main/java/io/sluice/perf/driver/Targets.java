package io.sluice.perf.driver;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which client speaks to an address. */
public final class Targets {
    private static final char BETWEEN = ',';
    private static final String PRAVEGA = "pravega";
    private static final String AUTHORITIES = "authorities=";
    private static final String PULSAR_5 = "pulsar5";
    static final String PRAVEGA_TARGET = "io.sluice.perf.driver.pravega.PravegaTarget";
    static final String PULSAR_5_TARGET = "io.sluice.perf.driver.pulsar5.Pulsar5Target";

    private final ClientJars jars;
    /** Kept, so that a later target finds its classes loaded and compiled, as those of the other clients are. */
    private final Map<String, ClientLoader> loaders = new HashMap<>();

    /** @param jars of the clients that this program does not have on its class path: pravega's and pulsar5's */
    public Targets(ClientJars jars) {
        this.jars = jars;
    }

    /**
     * @param url {@code kafka://HOST:PORT}, with {@code ?elastic=true} for topics of Sluice that scale, or with {@code ?authorities=FILE},
     *     certificates in PEM, by TLS; {@code pravega://HOST:PORT}
     *     with the controller's port; {@code pulsar://HOST:PORT?http=http://HOST:PORT}, the latter for its admin calls; {@code pulsar5},
     *     likewise, for scalable topics; two with a comma between them: clients of the first write, those of the second read
     * @throws IllegalArgumentException no client for it; the message tells a user what to give
     */
    public Target connect(String url) throws Exception {
        int comma = url.indexOf(BETWEEN);
        if (comma < 0) {
            return connectOne(url);
        }
        Target writers = connectOne(url.substring(0, comma));
        try {
            return new CrossTarget(writers, connectOne(url.substring(comma + 1)));
        } catch (Exception e) {
            writers.close();
            throw e;
        }
    }

    private Target connectOne(String url) throws Exception {
        URI address = URI.create(url);
        if (address.getHost() == null || address.getPort() < 0) {
            throw new IllegalArgumentException("'" + url + "' names no host and port");
        }
        String hostAndPort = address.getHost() + ":" + address.getPort();
        return switch (protocol(url)) {
            case "kafka" -> kafka(hostAndPort, address.getQuery());
            case "pulsar" -> new PulsarTarget("pulsar://" + hostAndPort, http(address));
            case PULSAR_5 -> loader(PULSAR_5).target(PULSAR_5_TARGET, hostAndPort + " " + http(address));
            case PRAVEGA -> loader(PRAVEGA).target(PRAVEGA_TARGET, hostAndPort);
            default ->
                throw new IllegalArgumentException("no client for '" + url
                        + "'; give kafka://HOST:PORT, pulsar://HOST:PORT?http=URL or pravega://HOST:PORT");
        };
    }

    private static KafkaTarget kafka(String hostAndPort, @Nullable String query) {
        String file = query != null && query.startsWith(AUTHORITIES) ? query.substring(AUTHORITIES.length()) : null;
        return new KafkaTarget(hostAndPort, "elastic=true".equals(query), file);
    }

    private synchronized ClientLoader loader(String client) throws Exception {
        ClientLoader known = loaders.get(client);
        if (known == null) {
            known = new ClientLoader(jars.of(client));
            loaders.put(client, known);
        }
        return known;
    }

    /** Returns a name for reports; {@code kafka-to-pulsar} of two targets. */
    public static String protocol(String url) {
        int comma = url.indexOf(BETWEEN);
        if (comma >= 0) {
            return protocol(url.substring(0, comma)) + "-to-" + protocol(url.substring(comma + 1));
        }
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
