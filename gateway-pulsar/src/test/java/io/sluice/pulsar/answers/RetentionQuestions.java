package io.sluice.pulsar.answers;

import java.util.Map;

/** How long a topic keeps what is acknowledged. */
final class RetentionQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String T = APP + "/t/retention";
    private static final String DAY = "{\"retentionTimeInMinutes\": 1440, \"retentionSizeInMB\": 100}";

    private final Questions q;

    RetentionQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.get("retention where none is set", T);
        q.post("set retention", T, DAY);
        q.getUntil("retention", T, a -> a.body() instanceof Map);
        q.post("set retention without limits", T, "{\"retentionTimeInMinutes\": -1, \"retentionSizeInMB\": -1}");
        q.getUntil(
                "retention without limits",
                T,
                a -> a.body() instanceof Map<?, ?> m && Integer.valueOf(-1).equals(m.get("retentionSizeInMB")));
        q.post("set bad retention", T, "{\"retentionTimeInMinutes\": -2, \"retentionSizeInMB\": 1}");
        q.post("set half a retention", T, "{\"retentionTimeInMinutes\": 5}");
        q.post("set retention with a bad body", T, "no JSON");
        q.get("retention of a missing topic", APP + "/missing/retention");
        q.get("retention in a missing namespace", "/admin/v2/persistent/acme/none/t/retention");
        q.post("set retention of a missing topic", APP + "/missing/retention", DAY);
        q.delete("remove retention", T);
        q.getUntil("retention after removal", T, a -> !(a.body() instanceof Map));
        q.delete("remove retention of a missing topic", APP + "/missing/retention");
    }
}
