package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /lookup/v2/topic/...}: where a client that came over HTTP finds the binary protocol. */
final class LookupRoutes {
    private final GatewayServices services;
    private final InetSocketAddress binary;

    private final ServingWait serving;

    /** @param binary where the binary protocol listens */
    LookupRoutes(GatewayServices services, InetSocketAddress binary, ServingWait serving) {
        this.services = services;
        this.binary = binary;
        this.serving = serving;
    }

    void add(Routes routes) {
        routes.topic(DESCRIBE).get("/lookup/v2/topic/persistent/:tenant/:namespace/:topic", this::lookup);
        routes.nonPersistent(DESCRIBE)
                .get("/lookup/v2/topic/non-persistent/:tenant/:namespace/:topic", this::lookupNonPersistent);
        // every namespace is one bundle, also for topics that are not there
        routes.topic(DESCRIBE)
                .get("/lookup/v2/topic/persistent/:tenant/:namespace/:topic/bundle", r -> PlaceRoutes.BUNDLE);
        routes.nonPersistent(DESCRIBE)
                .get("/lookup/v2/topic/non-persistent/:tenant/:namespace/:topic/bundle", r -> PlaceRoutes.BUNDLE);
    }

    private Object lookupNonPersistent(NonPersistentRequest r) throws AdminException {
        return answer(r.request(), () -> services.topics().servingNonPersistent(r.name()));
    }

    private Object lookup(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.Missing m && !m.creatable()) {
            throw new AdminException(404, "Topic " + PulsarNames.text(r.name()) + " not found");
        }
        return answer(r.request(), () -> services.topics().serving(r.name(), r.found()));
    }

    private Object answer(AdminRequest r, Supplier<Serving> where) throws AdminException {
        String named = r.find("listenerName");
        String listener = named == null ? "" : named;
        return switch (serving.until(where)) {
            case Serving.Here h -> here(listener);
            case Serving.Elsewhere e -> elsewhere(e.node(), listener);
            case Serving.Unserved n -> throw notServed();
        };
    }

    private Object here(String listener) throws AdminException {
        return answer(
                known(ServiceUrls.of(services.config(), listener, binary), listener),
                services.config().httpUrl());
    }

    private Object elsewhere(ClusterNode node, String listener) throws AdminException {
        if (ServiceUrls.binaryOf(services.config(), node) == null) {
            throw notServed();
        }
        return answer(
                known(ServiceUrls.binaryOf(services.config(), node, listener), listener),
                ServiceUrls.httpOf(services.config(), node));
    }

    private static String known(@Nullable String url, String listener) throws AdminException {
        if (url == null) {
            throw new AdminException(404, "there is no listener named '" + listener + "'");
        }
        return url;
    }

    private static AdminException notServed() {
        return new AdminException(503, "The topic is not served now");
    }

    /**
     * All fields of Pulsar's answer: C++ clients, and those made of them, end the process where they find neither {@code
     * brokerUrlTls} nor its older name {@code brokerUrlSsl}. Pulsar leaves out those that it has none for; here they are empty.
     */
    private Object answer(String url, String httpUrl) {
        return new JsonObject()
                .put("brokerUrl", orEmpty(ServiceUrls.plain(url)))
                .put("brokerUrlTls", orEmpty(ServiceUrls.secure(url)))
                .put("brokerUrlSsl", orEmpty(ServiceUrls.secure(url)))
                .put("nativeUrl", url)
                .put("httpUrl", isSecure(httpUrl) ? "" : httpUrl)
                .put("httpUrlTls", isSecure(httpUrl) ? httpUrl : "");
    }

    private static boolean isSecure(String httpUrl) {
        return httpUrl.startsWith("https:");
    }

    private static String orEmpty(@Nullable String url) {
        return url == null ? "" : url;
    }
}
