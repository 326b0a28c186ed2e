package io.sluice.kafka.coordinator.handler;

import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;

/** Authorized operations on a group, as the bit field of the protocol: bit n is the operation of code n. */
final class GroupOperations {
    static final int ALL = Stream.of(
                    AclOperation.READ,
                    AclOperation.DESCRIBE,
                    AclOperation.DELETE,
                    AclOperation.DESCRIBE_CONFIGS,
                    AclOperation.ALTER_CONFIGS)
            .mapToInt(operation -> 1 << operation.code())
            .reduce(0, (a, b) -> a | b);

    private GroupOperations() {}
}
