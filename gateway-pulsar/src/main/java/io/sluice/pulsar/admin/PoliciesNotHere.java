package io.sluice.pulsar.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Policies of Pulsar's namespaces that are not here, in the body of a request that makes one: each is refused as by its route, unless it has what says
 * nothing, which clients send by default.
 */
final class PoliciesNotHere {
    /** A field of the body, and the route that would set it: its method, and its path below that of the namespace. */
    private record Field(String name, String method, String route) {}

    private static final List<Field> ALL = List.of(
            new Field("offload_threshold", "PUT", "offloadThreshold"),
            new Field("offload_threshold_in_seconds", "PUT", "offloadThresholdInSeconds"),
            new Field("offload_deletion_lag_ms", "PUT", "offloadDeletionLagMs"),
            new Field("offload_policies", "POST", "offloadPolicies"),
            new Field("dispatcherPauseOnAckStatePersistentEnabled", "POST", "dispatcherPauseOnAckStatePersistent"),
            new Field("entryFilters", "POST", "entryFilters"),
            new Field("allowed_topic_property_keys_for_metrics", "POST", "allowedTopicPropertyKeysForMetrics"),
            new Field("antiAffinityGroup", "POST", "antiAffinity"),
            new Field("scalableTopicAutoScalePolicy", "POST", "scalableTopicAutoScalePolicy"));

    private PoliciesNotHere() {}

    static void refuse(AdminRequest r, JsonObject body) throws AdminException {
        for (Field field : ALL) {
            if (!saysNothing(body.getValue(field.name))) {
                throw new AdminException(
                        501, field.name + ": " + Routes.whyMissing(field.method, r.path() + "/" + field.route));
            }
        }
        if (!saysNothing(body.getValue("deleted"))) {
            throw new AdminException(400, "a new namespace is not deleted");
        }
    }

    private static boolean saysNothing(@Nullable Object value) {
        return switch (value) {
            case null -> true;
            case Boolean truth -> !truth;
            // of offloading: -1 for never by itself, 0 for at once
            case Number number -> number.longValue() <= 0;
            case String text -> text.isEmpty();
            case JsonArray list -> list.isEmpty();
            case JsonObject object -> object.isEmpty();
            default -> false;
        };
    }
}
