package io.sluice.pulsar.connection;

/** Facts of a client that its CONNECT tells. Event loop only, until the client has connected; then any thread. */
final class Handshake {
    private int protocolVersion = -1;
    private String clientVersion = "";

    /** @param ofClient as the client calls itself and its version */
    void done(int version, String ofClient) {
        protocolVersion = version;
        clientVersion = ofClient;
    }

    /** Whether the client has connected. */
    boolean isDone() {
        return protocolVersion >= 0;
    }

    /** -1 before CONNECT. */
    int protocolVersion() {
        return protocolVersion;
    }

    /**
     * Whether the client believes that a consumer is connected although the server has refused its SUBSCRIBE. C++'s client does, which Python and
     * Node use. Its next attempt ends at that belief, as long as the connection lasts. CLOSE_CONSUMER for the consumer corrects it.
     */
    boolean believesRefusedConsumers() {
        return clientVersion.startsWith("Pulsar-CPP-");
    }

    /** Empty before CONNECT. Any thread, for stats. */
    String clientVersion() {
        return clientVersion;
    }
}
