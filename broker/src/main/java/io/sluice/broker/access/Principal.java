package io.sluice.broker.access;

/** A user by name, the same one in both protocols (Kafka's {@code User:name}, Pulsar's role). */
public record Principal(String name) {
    /** Principal of a connection that is not authenticated, by Kafka's name. */
    public static final Principal ANONYMOUS = new Principal("ANONYMOUS");

    @Override
    public String toString() {
        return "User:" + name;
    }
}
