package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.protocol.Errors;

/** Rights of clients on groups and transactional ids. */
final class GroupRights {
    private GroupRights() {}

    static boolean allows(GroupCoordinators groups, Principal who, Operation operation, String group) {
        return groups.services().access().allows(who, operation, ResourceType.GROUP, group);
    }

    /** Whether the client lacks the right; then the request is answered. */
    static boolean refuses(GroupCoordinators groups, RequestContext context, Operation operation, String group) {
        boolean refused = !allows(groups, context.principal(), operation, group);
        if (refused) {
            context.fail(Errors.GROUP_AUTHORIZATION_FAILED);
        }
        return refused;
    }

    /**
     * Looks again before an answer for which the client may have waited.
     *
     * @throws GroupAuthorizationException the client lacks the right now
     */
    static void check(GroupCoordinators groups, RequestContext context, Operation operation, String group) {
        if (!allows(groups, context.principal(), operation, group)) {
            throw GroupAuthorizationException.forGroupId(group);
        }
    }

    /** Whether the client may not use the transactional id; then the request is answered. */
    static boolean refusesTransactionalId(GroupCoordinators groups, RequestContext context, String id) {
        boolean refused = !groups.services()
                .access()
                .allows(context.principal(), Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id);
        if (refused) {
            context.fail(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        }
        return refused;
    }

    /** Operations that the client may perform on the group, as the bit field of the protocol. */
    static int operations(GroupCoordinators groups, Principal who, String group) {
        return groups.services().access().operations(who, ResourceType.GROUP, group);
    }

    /** Whether one of the topics may not be described. */
    static boolean hidesAny(GroupCoordinators groups, Principal who, Stream<String> topics) {
        return topics.anyMatch(
                topic -> groups.services().access().find(who, Operation.DESCRIBE, topic) instanceof TopicLookup.Denied);
    }
}
