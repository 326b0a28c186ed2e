package io.sluice.pulsar.websocket;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.Right;
import io.sluice.broker.identity.KnownClient;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.websocket.SocketPath.Kind;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pulsar's WebSocket interface: producers, consumers and readers under {@code /ws/v2/}. What is wrong with a handshake is answered over HTTP, with
 * Pulsar's statuses and {@code {"reason": ...}}.
 */
public final class WebSocketApi {
    private static final String TOPIC = "/:tenant/:namespace/:topic";

    private final PulsarGateway gateway;
    private final OtherGateways others;
    private final int most;
    private final SocketMemory memory;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * @param others serve topics that this node does not
     * @param most sockets at one time; 0 for none
     * @param bytes of memory for what is on its way between clients and the gateway; four large messages have room in any case
     */
    public WebSocketApi(PulsarGateway gateway, OtherGateways others, int most, long bytes) {
        this.gateway = gateway;
        this.others = others;
        this.most = most;
        long largest = largestMessage(gateway.services().config().limits().maxMessageBytes());
        this.memory = new SocketMemory(Math.max(bytes, 4 * largest));
    }

    /** Bytes of the largest message that a socket takes: of one for the gateway in base64, and what is around it. */
    public static int largestMessage(int maxMessageBytes) {
        return (int) Math.min(Integer.MAX_VALUE, maxMessageBytes * 4L / 3 + 64 * 1024);
    }

    /**
     * Adds the routes.
     *
     * @return each as {@code GET /path/:parameter}, with the right that it needs
     */
    public Map<String, Right> mount(Router router) {
        Map<String, Right> rights = new LinkedHashMap<>();
        if (most == 0) {
            return rights;
        }
        for (String domain : new String[] {"persistent", "non-persistent"}) {
            add(router, rights, Kind.PRODUCER, Operation.WRITE, "/ws/v2/producer/" + domain + TOPIC);
            add(router, rights, Kind.CONSUMER, Operation.READ, "/ws/v2/consumer/" + domain + TOPIC + "/:subscription");
            add(router, rights, Kind.READER, Operation.READ, "/ws/v2/reader/" + domain + TOPIC);
        }
        return rights;
    }

    private void add(Router router, Map<String, Right> rights, Kind kind, Operation operation, String path) {
        router.get(path).handler(ctx -> handle(ctx, kind, operation));
        rights.put("GET " + path, Right.topic(operation));
    }

    private void handle(RoutingContext ctx, Kind kind, Operation operation) {
        KnownClient client = clientOf(ctx);
        try {
            SocketPath path = SocketPath.of(kind, ctx.request().path());
            if (!gateway.services()
                    .topics()
                    .allows(client.principal(), operation, path.name().topic())) {
                refuse(ctx, 403, "Not authorized");
            } else if (!"websocket".equalsIgnoreCase(ctx.request().getHeader(HttpHeaders.UPGRADE))) {
                refuse(ctx, 426, "this is for WebSocket clients");
            } else {
                open(ctx, client, path, operation);
            }
        } catch (BadRequestException e) {
            refuse(ctx, 400, "Invalid query params: " + e.getMessage());
        }
    }

    private void open(RoutingContext ctx, KnownClient client, SocketPath path, Operation operation)
            throws BadRequestException {
        Opening opening = new Opening(ctx, gateway, others, client, path, operation, memory.share());
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            refuse(ctx, 503, "there are as many WebSockets as there may be");
            return;
        }
        opening.start(open::decrementAndGet);
    }

    private static KnownClient clientOf(RoutingContext ctx) {
        KnownClient known = ctx.get(KnownClient.ATTRIBUTE);
        if (known != null) {
            return known;
        }
        Principal principal = ctx.get(Principal.ATTRIBUTE);
        return KnownClient.anonymous(principal == null ? Principal.ANONYMOUS : principal);
    }

    /** On Vert.x's loop. */
    static void refuse(RoutingContext ctx, int status, String reason) {
        if (!ctx.response().ended() && !ctx.response().closed()) {
            ctx.response()
                    .setStatusCode(status)
                    .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                    .end(JsonObject.of("reason", reason).encode());
            ctx.request().resume(); // the next request comes over the same connection
        }
    }
}
