package io.sluice.pulsar.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers about messages that were published over HTTP: Pulsar's {@code ProducerAcks}. */
final class PostedResults {
    /** The client may publish the message again. */
    static final int AGAIN = 1;
    /** It would be refused again. */
    static final int REFUSED = 2;

    private PostedResults() {}

    /**
     * Result of one message.
     *
     * @param id of the message, or the number of the partition that has not taken it
     * @param error 0 for none
     */
    record Result(String id, int error, @Nullable String why) {
        static Result stored(long ledger, long entry, int partition) {
            return new Result(ledger + ":" + entry + ":" + partition, 0, null);
        }

        static Result refused(int partition, String why) {
            return new Result(Integer.toString(partition), REFUSED, why);
        }
    }

    static JsonObject shown(List<Result> results, long schemaVersion) {
        JsonArray each = new JsonArray();
        for (Result result : results) {
            JsonObject one = new JsonObject();
            if (result.why != null) {
                one.put("errorMsg", result.why);
            }
            each.add(one.put("messageId", result.id)
                    .put("errorCode", result.error)
                    .put("schemaVersion", 0));
        }
        return new JsonObject().put("messagePublishResults", each).put("schemaVersion", schemaVersion);
    }
}
