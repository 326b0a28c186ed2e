package io.sluice.store.container;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** End of a log that does not wait for the disks' sync: what was acknowledged there may be lost with its machine. On the loop. */
final class UnsyncedTail {
    private static final Logger log = LoggerFactory.getLogger(UnsyncedTail.class);

    private final int container;
    private final Segments segments;
    private final AcknowledgedEnds ends;
    private final long forceAfterMicros;

    /**
     * @param ends as earlier terms have acknowledged them
     * @param forceAfterMicros how long an acknowledged append may not be on the disk
     */
    UnsyncedTail(int container, Segments segments, AcknowledgedEnds ends, long forceAfterMicros) {
        this.container = container;
        this.segments = segments;
        this.ends = ends;
        this.forceAfterMicros = forceAfterMicros;
    }

    /**
     * Once, when the term begins to serve.
     *
     * @param isNew the log had nothing before
     * @param lost gets bytes of each segment that were acknowledged and are not there, if there are any
     */
    void tellWhatIsLost(boolean isNew, Consumer<Map<Long, Long>> lost) {
        Map<Long, Long> missing = new TreeMap<>();
        ends.last().forEach((segment, length) -> {
            OpenSegment found = segments.get(segment);
            long left = found == null ? 0 : found.state.length();
            if (length > left) {
                missing.put(segment, length - left);
            }
        });
        if (!missing.isEmpty()) {
            lost.accept(missing);
        }
        ends.begin();
        if (!isNew) {
            log.info(
                    "Container {} does not wait for the disks' sync and goes on at operation {}: if its machine has crashed, what was"
                            + " acknowledged in the last {} ms before that may be missing, and more than is counted",
                    container,
                    segments.state().sequence(),
                    forceAfterMicros / 1_000);
        }
    }
}
