package io.sluice.server.config;

import io.sluice.store.cluster.MetadataSettings;
import java.nio.file.Path;

/** Where several processes find the metadata. */
public record MetadataStore(
        @Described(
                "*`server` only.* Address: `zk:host:2181,host:2181/path` is ZooKeeper (the path keeps clusters apart), `etcd:http://host:2379` etcd (or `https`),"
                        + " `oxia://host:6648/namespace` Oxia, which is not tested.")
        String url,

        @Described(
                "*`server` only.* File with settings of the store's own client, for TLS and logins: of ZooKeeper's (`ZKClientConfig`, properties) or"
                        + " etcd's (`EtcdConfig` of pulsar-metadata, YAML); see [security](security.md#to-the-stores). Empty means its defaults.")
        String clientFile) {
    /** Addresses of stores that several processes can open. */
    private static final String SHARED = "(zk|etcd):\\S+|oxia://\\S+|";

    public MetadataStore {
        Checks.given("metadata.url", url);
        Checks.given("metadata.clientFile", clientFile);
        Checks.matches("metadata.url", url, SHARED, "zk:HOST:PORT/PATH, etcd:http://HOST:PORT or oxia://HOST:PORT");
    }

    public MetadataSettings settings() {
        return MetadataSettings.at(url, clientFile.isEmpty() ? null : Path.of(clientFile));
    }

    static MetadataStore defaults() {
        return new MetadataStore("", "");
    }
}
