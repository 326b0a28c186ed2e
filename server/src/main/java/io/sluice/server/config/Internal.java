package io.sluice.server.config;

/** The listener for the other nodes of the cluster. */
public record Internal(
        @Described("*`server` only.* Address to listen on; only the other nodes are to reach it.")
        String host,

        @Described("*`server` only.* Port to listen on; 0 takes any free one.")
        int port,

        @Described("*`server` only.* Host name or address that the other nodes connect to; empty means `host`.")
        String advertisedHost,

        @Described("*`server` only.* Port that the other nodes connect to; 0 means the port listened on.")
        int advertisedPort) {
    public Internal {
        Checks.notBlank("internal.host", host);
        Checks.inRange("internal.port", port, 0, 65_535);
        Checks.given("internal.advertisedHost", advertisedHost);
        Checks.inRange("internal.advertisedPort", advertisedPort, 0, 65_535);
    }

    static Internal defaults() {
        return new Internal("127.0.0.1", 6652, "", 0);
    }
}
