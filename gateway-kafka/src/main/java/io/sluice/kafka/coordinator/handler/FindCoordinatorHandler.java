package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.transactions.TransactionAuthority;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.jspecify.annotations.Nullable;

/**
 * FindCoordinator, v0 to v6: one key up to v3, many from v4.
 *
 * <p>Differs: the state of share groups has no coordinators here, it lies with the partitions. Asking for one is answered with INVALID_REQUEST
 * and a line that says so; clients do not ask.
 */
public final class FindCoordinatorHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final @Nullable TransactionAuthority authority;

    /** @param authority null where there are no transactions */
    FindCoordinatorHandler(GroupCoordinators groups, @Nullable TransactionAuthority authority) {
        this.groups = groups;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FIND_COORDINATOR;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        FindCoordinatorRequestData asked = ((FindCoordinatorRequest) request).data();
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (context.version() >= FindCoordinatorRequest.MIN_BATCHED_VERSION) {
            asked.coordinatorKeys()
                    .forEach(key -> response.coordinators().add(find(context.connection(), asked.keyType(), key)));
        } else {
            Coordinator found = find(context.connection(), asked.keyType(), asked.key());
            response.setErrorCode(found.errorCode())
                    .setErrorMessage(found.errorMessage())
                    .setNodeId(found.nodeId())
                    .setHost(found.host())
                    .setPort(found.port());
        }
        context.complete(response);
    }

    private Coordinator find(ClientConnection client, byte keyType, String key) {
        KafkaAccess access = groups.services().access();
        if (keyType == FindCoordinatorRequest.CoordinatorType.GROUP.id()) {
            if (!access.allows(client.principal(), Operation.DESCRIBE, ResourceType.GROUP, key)) {
                return refused(key, Errors.GROUP_AUTHORIZATION_FAILED, null);
            }
            return found(client, key, groups.ownerOf(key), groups.serves(key));
        }
        if (keyType == FindCoordinatorRequest.CoordinatorType.TRANSACTION.id() && authority != null) {
            if (!access.allows(client.principal(), Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, key)) {
                return refused(key, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, null);
            }
            ClusterNode owner = groups.services().cluster().ownerOf(authority.containerOf(key));
            return found(client, key, owner, authority.serves(key));
        }
        return refused(key, Errors.INVALID_REQUEST, "This server has no coordinators of " + nameOf(keyType) + ".");
    }

    private static String nameOf(byte keyType) {
        return keyType == FindCoordinatorRequest.CoordinatorType.TRANSACTION.id() ? "transactions" : "type " + keyType;
    }

    private Coordinator found(ClientConnection client, String key, @Nullable ClusterNode owner, boolean isServedHere) {
        Endpoint endpoint = owner == null ? null : owner.endpoint(client.endpoint());
        if (owner == null || endpoint == null || (groups.services().cluster().isSelf(owner) && !isServedHere)) {
            return refused(key, Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_NOT_AVAILABLE.message());
        }
        return new Coordinator()
                .setKey(key)
                .setErrorMessage(Errors.NONE.message())
                .setNodeId(owner.id())
                .setHost(endpoint.host())
                .setPort(endpoint.port());
    }

    private static Coordinator refused(String key, Errors error, @Nullable String message) {
        return new Coordinator()
                .setKey(key)
                .setErrorCode(error.code())
                .setErrorMessage(message == null ? error.message() : message)
                .setNodeId(Node.noNode().id())
                .setHost(Node.noNode().host())
                .setPort(Node.noNode().port());
    }
}
