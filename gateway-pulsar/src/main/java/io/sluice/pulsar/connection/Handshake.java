package io.sluice.pulsar.connection;

/** Facts of a client that its CONNECT tells. Event loop only, but for {@link #clientVersion}. */
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
     * Whether the client takes a consumer whose SUBSCRIBE was refused for connected. So does C++'s, which Python and Node use: where it is to try
     * again, it finds that it need not, for as long as the connection lasts, unless it is told that the consumer is closed.
     */
    boolean countsRefusedConsumers() {
        return clientVersion.startsWith("Pulsar-CPP-");
    }

    /** Empty before CONNECT. Any thread, for stats. */
    String clientVersion() {
        return clientVersion;
    }
}
