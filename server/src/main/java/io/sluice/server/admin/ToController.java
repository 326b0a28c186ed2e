package io.sluice.server.admin;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/** Redirects a request to the controller, where that is another node: it alone knows the loads of all, and what it has decided. */
public final class ToController implements Handler<RoutingContext> {
    private static final int TEMPORARY_REDIRECT = 307;

    private final Cluster cluster;
    private final String scheme;

    /** @param scheme of the HTTP of all nodes, {@code http} or {@code https} */
    public ToController(Cluster cluster, String scheme) {
        this.cluster = cluster;
        this.scheme = scheme;
    }

    @Override
    public void handle(RoutingContext request) {
        ClusterNode controller = cluster.controller();
        Endpoint there =
                controller == null || cluster.isSelf(controller) ? null : controller.endpoint(ClusterNode.HTTP);
        if (there == null) {
            request.next();
        } else {
            request.response()
                    .setStatusCode(TEMPORARY_REDIRECT)
                    .putHeader(
                            "location",
                            scheme + "://" + there + request.request().uri())
                    .end();
        }
    }
}
