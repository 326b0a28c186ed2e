package io.sluice.pulsar.admin;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** A request whose body is a list of topics, from a caller that may ask it about each of them. */
record TopicsRequest(AdminRequest request, List<Named> topics) {
    private static final int MOST = 10_000;

    TopicsRequest {
        topics = List.copyOf(topics);
    }

    /**
     * A topic with a role and what the role may do.
     *
     * @param actions empty where the request names none
     */
    record Named(PulsarNames.Parsed name, String role, List<Object> actions) {}

    /** @throws AdminException a name is none, or there are too many */
    static TopicsRequest of(AdminRequest r) throws AdminException {
        JsonArray body = new JsonArray(r.body().isBlank() ? "[]" : r.body());
        if (body.isEmpty() || body.size() > MOST) {
            throw new AdminException(400, "the request's body must be a list of 1 to " + MOST + " topics");
        }
        List<Named> topics = new ArrayList<>(body.size());
        for (Object each : body) {
            if (!(each instanceof JsonObject object)) {
                throw new DecodeException("not a list of topics with roles");
            }
            topics.add(named(object));
        }
        return new TopicsRequest(r, topics);
    }

    private static Named named(JsonObject each) throws AdminException {
        String topic = each.getString("topic", "");
        String role = each.getString("role", "");
        if (topic.isEmpty() || role.isEmpty()) {
            throw new AdminException(400, "each topic needs a name and a role");
        }
        try {
            PulsarNames.Parsed name = PulsarNames.isNonPersistent(topic)
                    ? PulsarNames.parseNonPersistent(topic)
                    : PulsarNames.parse(topic);
            return new Named(
                    name, role, each.getJsonArray("actions", new JsonArray()).getList());
        } catch (TopicException e) {
            throw AdminException.of(e);
        }
    }
}
