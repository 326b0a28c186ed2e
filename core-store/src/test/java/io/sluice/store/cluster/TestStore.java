package io.sluice.store.cluster;

/** A server of metadata on the loopback, which keeps what it has when it is stopped and started again. */
public interface TestStore extends AutoCloseable {
    /** On the port that it had, if it ran before. */
    void start() throws Exception;

    void stop() throws Exception;

    int port();

    /** Of metadata that is reached through another port, as by a {@link CuttableLink}. */
    String url(int port);

    default String metadataUrl() {
        return url(port());
    }

    @Override
    default void close() throws Exception {
        stop();
    }
}
