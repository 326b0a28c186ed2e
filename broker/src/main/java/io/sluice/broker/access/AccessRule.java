package io.sluice.broker.access;

import java.util.Set;

/**
 * Rule on some resources, as Kafka's ACLs: allows, or denies, whom it names an operation.
 *
 * @param principal {@code User:name}, {@code Group:name} for all users of a group, or {@code User:*}; other types match nobody
 * @param host address of the client as digits; {@code *} for any
 * @param allows false to deny, which counts more than any rule that allows
 */
public record AccessRule(ResourcePattern resource, String principal, String host, Operation operation, boolean allows) {
    /** Begins the principal of a rule for one user. */
    public static final String USER = "User:";
    /** Begins the principal of a rule for the users of a group. */
    public static final String GROUP = "Group:";
    /** Principal of a rule for everybody, clients of open listeners included. */
    public static final String EVERYBODY = "User:*";
    /** Host of a rule for clients wherever they are. */
    public static final String ANY_HOST = "*";

    /** @param principals of the client: its name, its groups, everybody */
    boolean concerns(Set<String> principals, String clientHost, Operation asked) {
        return (host.equals(ANY_HOST) || host.equals(clientHost))
                && (operation == asked || operation == Operation.ALL || (allows && implies(asked)))
                && principals.contains(principal);
    }

    /** A right to read includes to be told that something is there; a rule that denies to read leaves that. */
    private boolean implies(Operation asked) {
        return switch (operation) {
            case READ, WRITE, DELETE, ALTER -> asked == Operation.DESCRIBE;
            case ALTER_CONFIGS -> asked == Operation.DESCRIBE_CONFIGS;
            default -> false;
        };
    }
}
