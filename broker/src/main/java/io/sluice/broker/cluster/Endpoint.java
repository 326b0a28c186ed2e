package io.sluice.broker.cluster;

/** Where clients connect, as they are told. */
public record Endpoint(String host, int port) {
    public Endpoint {
        if (host.isBlank() || port < 1 || port > 0xffff) {
            throw new IllegalArgumentException("clients cannot connect to " + host + ":" + port);
        }
    }

    /** Reads what {@link #toString} has written. */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new Endpoint(
                bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
