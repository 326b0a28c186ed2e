package io.sluice.kafka.api;

import io.sluice.broker.access.Principal;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.identity.UserSubscriptions;
import java.net.InetAddress;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.jspecify.annotations.Nullable;

/** The client's side of a request: who asked, over which listener. Any thread. */
public interface ClientConnection {
    /** Unique while the server runs; for logs and for group member ids. */
    String id();

    InetAddress address();

    ListenerName listener();

    default Principal principal() {
        return Principal.ANONYMOUS;
    }

    /** Name under which nodes advertise the listener by which this client came. */
    default String endpoint() {
        return ClusterNode.KAFKA;
    }

    /** SASL of this connection; null where the listener lets everybody in. */
    default @Nullable ClientLogin login() {
        return null;
    }

    /** Among which those of the client's user are counted. */
    default UserSubscriptions subscriptions() {
        return UserSubscriptions.UNBOUNDED;
    }

    default SecurityProtocol security() {
        return SecurityProtocol.PLAINTEXT;
    }

    /** Name and version of the client library, once it said so in ApiVersions. */
    ClientInformation client();

    void client(ClientInformation client);

    boolean isOpen();

    default RequestContext toKafka(RequestHeader header) {
        return new RequestContext(
                header, id(), address(), new ClientPrincipal(principal()), listener(), security(), client(), false);
    }
}
