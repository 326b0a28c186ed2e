package io.sluice.pulsar.handler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.KeyValue;

/** Metadata that clients give of themselves, kept while they are connected and shown in stats. */
final class ClientMetadata {
    /** Characters kept of one producer or consumer; what comes after them is not shown. */
    private static final int MAX_CHARACTERS = 4_096;

    private ClientMetadata() {}

    static Map<String, String> of(List<KeyValue> pairs) {
        Map<String, String> kept = new HashMap<>();
        int left = MAX_CHARACTERS;
        for (KeyValue pair : pairs) {
            left -= pair.getKey().length() + pair.getValue().length();
            if (left < 0) {
                break;
            }
            kept.put(pair.getKey(), pair.getValue());
        }
        return kept;
    }
}
