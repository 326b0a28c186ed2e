package io.sluice.broker.access;

/**
 * Resources to which a rule applies: the one of this name, all of the type if the name is {@code *}, or those whose names begin with it.
 *
 * @param prefixed whether the name is the beginning of the resources' names
 */
public record ResourcePattern(ResourceType type, String name, boolean prefixed) implements Comparable<ResourcePattern> {
    /** Name of the cluster as a resource. */
    public static final String CLUSTER = "kafka-cluster";
    /** Name that stands for every resource of the type. */
    public static final String EVERY = "*";

    @Override
    public int compareTo(ResourcePattern other) {
        int types = type.compareTo(other.type);
        int names = types != 0 ? types : name.compareTo(other.name);
        return names != 0 ? names : Boolean.compare(prefixed, other.prefixed);
    }
}
