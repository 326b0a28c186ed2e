package io.sluice.kafka.transaction.scripts;

import io.sluice.kafka.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.jspecify.annotations.Nullable;

/** One connection; what clients would ask again it asks again, and where it is cut off it connects anew. */
final class ScriptClient implements AutoCloseable {
    private static final Set<Errors> PASSING = EnumSet.of(
            Errors.CONCURRENT_TRANSACTIONS,
            Errors.COORDINATOR_LOAD_IN_PROGRESS,
            Errors.COORDINATOR_NOT_AVAILABLE,
            Errors.NOT_COORDINATOR,
            Errors.NOT_ENOUGH_REPLICAS,
            Errors.LEADER_NOT_AVAILABLE,
            Errors.NOT_LEADER_OR_FOLLOWER);
    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();
    private static final long PAUSE = Duration.ofMillis(10).toNanos();

    private final int port;
    private @Nullable RawClient connection;

    ScriptClient(int port) {
        this.port = port;
    }

    /** Null if the connection was closed in place of an answer. */
    @Nullable
    AbstractResponse once(ApiKeys api, int version, ApiMessage asked) throws IOException {
        if (connection == null) {
            connection = new RawClient(port);
        }
        try {
            return AbstractResponse.parseResponse(api, connection.call(api, (short) version, asked), (short) version);
        } catch (java.io.EOFException | java.net.SocketException e) {
            close();
            return null;
        }
    }

    /** As {@link #once}, until it is an answer that does not pass by itself. */
    @Nullable
    AbstractResponse call(ApiKeys api, int version, ApiMessage asked) throws IOException {
        long deadline = System.nanoTime() + PATIENCE;
        while (true) {
            AbstractResponse answer = once(api, version, asked);
            boolean passes =
                    answer != null && answer.errorCounts().keySet().stream().anyMatch(PASSING::contains);
            if (!passes || System.nanoTime() > deadline) {
                return answer;
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
