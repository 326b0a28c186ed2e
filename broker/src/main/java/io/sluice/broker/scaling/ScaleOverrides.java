package io.sluice.broker.scaling;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Targets that a scalable topic has of its own, by the names that Pulsar's admin clients give. */
public final class ScaleOverrides {
    private static final String ENABLED = "enabled";
    private static final String MOST = "maxSegments";
    private static final String FEWEST = "minSegments";
    private static final String DEPTH = "maxDagDepth";
    private static final String SPLIT_REST = "splitCooldownSeconds";
    private static final String MERGE_REST = "mergeCooldownSeconds";
    private static final String COLD = "mergeWindowSeconds";
    private static final String BYTES_IN = "BytesRateInThreshold";
    private static final String EVENTS_IN = "MsgRateInThreshold";
    private static final String BYTES_OUT = "BytesRateOutThreshold";
    private static final String EVENTS_OUT = "MsgRateOutThreshold";
    private static final String SPLIT = "split";
    private static final String MERGE = "merge";

    /** As many active scalable segments as a graph has at most. */
    private static final int MOST_SEGMENTS = 64;

    private static final long MOST_SECONDS = 366L * 24 * 3_600;

    private static final Set<String> NAMES = Set.of(
            ENABLED,
            MOST,
            FEWEST,
            DEPTH,
            SPLIT_REST,
            MERGE_REST,
            COLD,
            SPLIT + BYTES_IN,
            SPLIT + EVENTS_IN,
            SPLIT + BYTES_OUT,
            SPLIT + EVENTS_OUT,
            MERGE + BYTES_IN,
            MERGE + EVENTS_IN,
            MERGE + BYTES_OUT,
            MERGE + EVENTS_OUT);

    private final Map<String, String> given;

    private ScaleOverrides(Map<String, String> given) {
        this.given = given;
    }

    /**
     * @param otherwise for what is not given
     * @throws IllegalArgumentException what is given cannot be; says why
     */
    public static ScaleTargets apply(ScaleTargets otherwise, Map<String, String> given) {
        for (String name : given.keySet()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("there is no setting " + name);
            }
        }
        return given.isEmpty() ? otherwise : new ScaleOverrides(given).over(otherwise);
    }

    private ScaleTargets over(ScaleTargets server) {
        int most = (int) whole(MOST, 1, server.most(), MOST_SEGMENTS);
        return new ScaleTargets(
                flag(server.enabled()),
                (int) whole(FEWEST, 1, Math.min(server.fewest(), most), MOST_SEGMENTS),
                most,
                (int) whole(DEPTH, 0, server.mergesDeep(), Integer.MAX_VALUE),
                1_000 * whole(SPLIT_REST, 0, server.splitMillis() / 1_000, MOST_SECONDS),
                1_000 * whole(MERGE_REST, 0, server.mergeMillis() / 1_000, MOST_SECONDS),
                1_000 * whole(COLD, 0, server.coldMillis() / 1_000, MOST_SECONDS),
                flow(SPLIT, server.split()),
                flow(MERGE, server.merge()));
    }

    private Flow flow(String which, Flow server) {
        return new Flow(
                figure(which + BYTES_IN, server.bytesIn()),
                figure(which + EVENTS_IN, server.eventsIn()),
                figure(which + BYTES_OUT, server.bytesOut()),
                figure(which + EVENTS_OUT, server.eventsOut()));
    }

    private boolean flag(boolean otherwise) {
        String text = given.get(ENABLED);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(ENABLED + " is true or false, not " + text);
        }
        return text == null ? otherwise : Boolean.parseBoolean(text);
    }

    private long whole(String name, long least, long otherwise, long most) {
        double value = figure(name, otherwise);
        if (value != Math.rint(value) || value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + least + " to " + most + ", not " + given.get(name));
        }
        return (long) value;
    }

    private double figure(String name, double otherwise) {
        @Nullable String text = given.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            double value = new BigDecimal(text).doubleValue();
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(name + " is a number, not " + text);
    }
}
