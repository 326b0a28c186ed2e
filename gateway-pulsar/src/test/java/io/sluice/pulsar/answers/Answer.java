package io.sluice.pulsar.answers;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a server answered to one request of the scenario, in its normal form.
 *
 * @param step names the request, once in the scenario
 * @param request method and path
 * @param contentType without parameters, empty if there is none
 * @param body of JSON a map, list, number or truth value; of anything else its text; null if it is empty
 */
record Answer(
        String step,
        String request,
        int status,
        String contentType,
        @Nullable Object body) {

    static Answer read(JsonObject json) {
        return new Answer(
                json.getString("step"),
                json.getString("request"),
                json.getInteger("status"),
                json.getString("contentType"),
                NormalForm.plain(json.getValue("body")));
    }

    JsonObject json() {
        return new JsonObject()
                .put("step", step)
                .put("request", request)
                .put("status", status)
                .put("contentType", contentType)
                .put("body", body);
    }
}
