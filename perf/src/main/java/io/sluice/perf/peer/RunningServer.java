package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A server that is ready for its clients.
 *
 * @param targets what to connect to, by protocol
 * @param version as published
 * @param settings what matters to read its figures
 */
public record RunningServer(
        ServerChild child, Path folder, Map<String, String> targets, String version, Map<String, String> settings)
        implements AutoCloseable {
    public long pid() {
        return child.pid();
    }

    /** Address for stock clients of a protocol. */
    public String target(String protocol) {
        String target = targets.get(protocol);
        if (target == null) {
            throw new IllegalArgumentException("it speaks " + targets.keySet() + ", not " + protocol);
        }
        return target;
    }

    /** Stops it, by force if it does not go, and deletes its folder. */
    @Override
    public void close() throws IOException {
        child.close();
        PeerFolder.delete(folder);
    }
}
