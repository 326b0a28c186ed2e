package io.sluice.kafka.coordinator;

import java.net.InetAddress;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** The context of a request that the server makes of Kafka's coordinator itself. */
public final class OwnRequest {
    private static final String CLIENT = "sluice";

    private OwnRequest() {}

    public static RequestContext of(ApiKeys key) {
        return new RequestContext(
                new RequestHeader(key, key.latestVersion(), CLIENT, 0),
                CLIENT,
                InetAddress.getLoopbackAddress(),
                KafkaPrincipal.ANONYMOUS,
                ListenerName.forSecurityProtocol(SecurityProtocol.PLAINTEXT),
                SecurityProtocol.PLAINTEXT,
                ClientInformation.EMPTY,
                false);
    }
}
