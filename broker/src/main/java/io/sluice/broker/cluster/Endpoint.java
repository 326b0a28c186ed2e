package io.sluice.broker.cluster;

/** Where clients connect, as they are told. */
public record Endpoint(String host, int port) {
    public Endpoint {
        if (host.isBlank() || port < 1 || port > 0xffff) {
            throw new IllegalArgumentException("clients cannot connect to " + host + ":" + port);
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
