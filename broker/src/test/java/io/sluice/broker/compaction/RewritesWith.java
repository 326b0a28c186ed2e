package io.sluice.broker.compaction;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** {@link SimKeyedEntries} with something that happens around each copy. */
final class RewritesWith implements KeyedEntries {
    private final SimKeyedEntries format = new SimKeyedEntries(CompactionSimBug.NONE);
    private final Around around;

    /** Runs the copy, and whatever the test wants before or after it. */
    interface Around {
        ByteBuffer rewrite(Supplier<ByteBuffer> copy);
    }

    RewritesWith(Around around) {
        this.around = around;
    }

    @Override
    public byte format() {
        return format.format();
    }

    @Override
    public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
        return format.readKeys(entries, aborted, keys);
    }

    @Override
    public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
        return around.rewrite(() -> format.rewrite(entries, aborted, survivors));
    }
}
