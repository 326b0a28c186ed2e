package io.sluice.tiering.flush;

import io.sluice.tiering.flush.FlushPlan.Chosen;
import io.sluice.tiering.format.ObjectImage.Part;
import java.util.List;

/** An upload of what the log has and the tier lacks. */
final class FlushUpload extends Upload {
    final Chosen chosen;

    /** Takes the pinned bytes over. */
    FlushUpload(long object, Chosen chosen, List<Part> pinned) {
        super(object, pinned);
        this.chosen = chosen;
    }
}
