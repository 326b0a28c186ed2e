package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;

/** {@code /lookup/v2/topic/...}: where a client that came over HTTP finds the binary protocol. */
final class LookupRoutes {
    private final GatewayServices services;
    private final InetSocketAddress binary;

    /** @param binary where the binary protocol listens */
    LookupRoutes(GatewayServices services, InetSocketAddress binary) {
        this.services = services;
        this.binary = binary;
    }

    void add(Routes routes) {
        routes.topic(DESCRIBE).get("/lookup/v2/topic/persistent/:tenant/:namespace/:topic", this::lookup);
    }

    private Object lookup(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.Missing m && !m.creatable()) {
            throw new AdminException(404, "Topic " + TopicAccess.text(r.name()) + " not found");
        }
        String listener = r.find("listenerName");
        String url = ServiceUrls.of(services.config(), listener == null ? "" : listener, binary);
        if (url == null) {
            throw new AdminException(404, "there is no listener named '" + listener + "'");
        }
        return answer(url);
    }

    /**
     * All fields of Pulsar's answer: C++ clients, and those made of them, end the process where they find neither {@code
     * brokerUrlTls} nor its older name {@code brokerUrlSsl}. Pulsar leaves out those of TLS where it has none; here they are empty.
     */
    private Object answer(String url) {
        return new JsonObject()
                .put("brokerUrl", url)
                .put("brokerUrlTls", "")
                .put("brokerUrlSsl", "")
                .put("nativeUrl", url)
                .put("httpUrl", services.config().httpUrl())
                .put("httpUrlTls", "");
    }
}
