package io.sluice.store.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the metadata is, and how long to wait for it.
 *
 * @param url one of
 *     <pre>
 *   rocksdb:/folder                          this process only
 *   zk:host:2181,host:2181,host:2181/path    ZooKeeper; the path may be left out
 *   etcd:http://host:2379,http://host:2379   etcd, or https://
 *   oxia://host:6648/namespace               Oxia: accepted, and not tested
 *     </pre>
 * @param clientFile settings of the store's own client, as TLS and logins: for ZooKeeper properties of its {@code ZKClientConfig}, for etcd YAML
 *     of pulsar-metadata's {@code EtcdConfig}; null for its defaults
 * @param timeout of one operation
 * @param session after which the store counts this process as gone when it hears nothing of it, and deletes what it has registered
 */
public record MetadataSettings(String url, @Nullable Path clientFile, Duration timeout, Duration session) {
    private static final List<String> SCHEMES = List.of("rocksdb:", "zk:", "etcd:", "oxia://");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** A lost connection is noticed within a fifteenth of it, which must be less than the half second after which etcd's client gives up. */
    private static final Duration SESSION = Duration.ofSeconds(6);

    private static final Duration LEAST_SESSION = Duration.ofSeconds(1);

    public MetadataSettings {
        if (SCHEMES.stream().noneMatch(url::startsWith)) {
            throw new IllegalArgumentException(
                    "metadata is at rocksdb:FOLDER, zk:HOST:PORT, etcd:http://HOST:PORT or oxia://HOST:PORT, not at '"
                            + url + "'");
        }
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must be positive, not " + timeout.toMillis() + " ms");
        }
        if (session.compareTo(LEAST_SESSION) < 0) {
            throw new IllegalArgumentException("session must be a second or more, not " + session.toMillis() + " ms");
        }
    }

    /** With the default times. */
    public static MetadataSettings at(String url) {
        return at(url, null);
    }

    /** With the default times. */
    public static MetadataSettings at(String url, @Nullable Path clientFile) {
        return new MetadataSettings(url, clientFile, TIMEOUT, SESSION);
    }

    /** The same, waiting no longer than this for an operation. */
    public MetadataSettings within(Duration ofOperation) {
        return new MetadataSettings(url, clientFile, ofOperation, session);
    }
}
