package io.sluice.broker.access;

/** Who asks: a user by name, the same one in both protocols (Kafka's {@code User:name}, Pulsar's role). */
public record Principal(String name) {
    /** Of a connection that has not said who it is; as Kafka calls it. */
    public static final Principal ANONYMOUS = new Principal("ANONYMOUS");

    @Override
    public String toString() {
        return "User:" + name;
    }
}
