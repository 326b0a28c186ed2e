package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;

import io.sluice.broker.access.Operation;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.util.List;

/**
 * Requests about positions in topics whose messages are not kept, which have none: refused as Pulsar refuses them, also those that fail there with
 * an internal error. Of a topic that is missing they say so.
 */
final class NotKeptRefusals {
    private static final String TOPIC = "/admin/v2/non-persistent/:tenant/:namespace/:topic/";
    private static final String SUBSCRIPTION = TOPIC + "subscription/:subscription";
    private static final int NOT_ALLOWED = 405;

    private static final List<Refusal> ALL = List.of(
            new Refusal(
                    HttpMethod.POST,
                    READ,
                    TOPIC + "all_subscription/expireMessages/:seconds",
                    "Expire messages for all subscriptions on a non-persistent topic is not allowed"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/expireMessages/:seconds", "Expire messages"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/expireMessages", "Expire messages"),
            refusal(HttpMethod.GET, SUBSCRIPTION + "/position/:position", "Peek messages"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/skip/:count", "Skip messages"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/skip_all", "Skip messages"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/resetcursor", "Reset-cursor"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/resetcursor/:timestamp", "Reset-cursor"),
            refusal(HttpMethod.POST, SUBSCRIPTION + "/analyzeBacklog", "Analyze backlog"),
            new Refusal(
                    HttpMethod.PUT,
                    READ,
                    SUBSCRIPTION,
                    400,
                    "Create subscription on non-persistent topic can only be done through client",
                    false),
            new Refusal(
                    HttpMethod.GET,
                    READ,
                    SUBSCRIPTION + "/replicatedSubscriptionStatus",
                    NOT_ALLOWED,
                    "Cannot get replicated subscriptions on non-persistent topics",
                    false),
            new Refusal(
                    HttpMethod.POST,
                    READ,
                    SUBSCRIPTION + "/replicatedSubscriptionStatus",
                    NOT_ALLOWED,
                    "Cannot enable/disable replicated subscriptions on non-persistent topics",
                    false),
            refusal(HttpMethod.GET, TOPIC + "lastMessageId", "GetLastMessageId"),
            new Refusal(
                    HttpMethod.PUT,
                    READ,
                    TOPIC + "backlogSize",
                    "Backlog size of a non-persistent topic is not allowed"),
            new Refusal(
                    HttpMethod.GET,
                    DESCRIBE,
                    TOPIC + "internal-info",
                    "Internal info of a non-persistent topic is not allowed"),
            new Refusal(
                    HttpMethod.POST, ALTER, TOPIC + "terminate", 406, "Need to provide a persistent topic name", false),
            new Refusal(
                    HttpMethod.POST,
                    ALTER,
                    TOPIC + "terminate/partitions",
                    NOT_ALLOWED,
                    "Termination of a non-persistent topic is not allowed",
                    false),
            new Refusal(HttpMethod.DELETE, DELETE, TOPIC + "truncate", 412, "unsupport truncate", false));

    private final NonPersistentPlaces places;

    NotKeptRefusals(NonPersistentPlaces places) {
        this.places = places;
    }

    /** @param looksForTopic whether a topic that is missing is refused as such */
    private record Refusal(
            HttpMethod method, Operation operation, String path, int status, String reason, boolean looksForTopic) {
        Refusal(HttpMethod method, Operation operation, String path, String reason) {
            this(method, operation, path, NOT_ALLOWED, reason, true);
        }
    }

    private static Refusal refusal(HttpMethod method, String path, String what) {
        return new Refusal(method, READ, path, what + " on a non-persistent topic is not allowed");
    }

    void add(Routes routes) {
        for (Refusal each : ALL) {
            routes.nonPersistent(each.operation).add(each.method, each.path, r -> refuse(r, each));
        }
    }

    private Object refuse(NonPersistentRequest r, Refusal why) throws AdminException, IOException {
        if (why.looksForTopic) {
            places.whole(r);
        }
        throw new AdminException(why.status, why.reason);
    }
}
