package io.sluice.server.config;

/** Where several processes find the metadata. */
public record MetadataStore(
        @Described(
                "*`server` only.* Address: `zk:host:2181,host:2181/path` is ZooKeeper (the path keeps clusters apart), `etcd:http://host:2379` etcd,"
                        + " `oxia://host:6648/namespace` Oxia, which is not tested.")
        String url) {
    /** Addresses of stores that several processes can open. */
    private static final String SHARED = "(zk|etcd):\\S+|oxia://\\S+|";

    public MetadataStore {
        Checks.given("metadata.url", url);
        Checks.matches("metadata.url", url, SHARED, "zk:HOST:PORT/PATH, etcd:http://HOST:PORT or oxia://HOST:PORT");
    }

    static MetadataStore defaults() {
        return new MetadataStore("");
    }
}
