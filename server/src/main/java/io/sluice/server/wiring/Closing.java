package io.sluice.server.wiring;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.LoggerFactory;

/** Open resources, closed in reverse order; a failure to close one does not keep the others open. */
public final class Closing implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public synchronized <T extends AutoCloseable> T add(T part) {
        open.push(part);
        return part;
    }

    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (Exception e) {
                // Not a field: the first logger fixes where the log goes, and this class comes before that is known.
                LoggerFactory.getLogger(Closing.class)
                        .warn("closing {}: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
    }
}
