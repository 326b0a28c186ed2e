package io.sluice.pulsar.websocket;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * Producer, consumer or reader of a client over one WebSocket, from its handshake on. On the loop of its {@link Links}.
 *
 * <pre>
 *   attach ─► attached ─► start ─► text, events ─► stopped
 *      └────► refused
 * </pre>
 */
abstract class Socket implements Links.Session {
    /** Codes of WebSocket with which sockets are closed. */
    static final int GOING_AWAY = 1001;

    static final int BAD_DATA = 1007;
    private static final int POLICY = 1008;
    /** The client is to connect again. */
    private static final int RESTART = 1012;

    /** Often enough that neither the gateway nor the HTTP listener takes a client for silent that answers. */
    private static final long PING_SECONDS = 15;

    private final Links links;
    private @Nullable ClientSocket client;
    private @Nullable Future<?> pinging;
    private boolean stopped;

    Socket(Links links) {
        this.links = links;
    }

    /** How an attachment ends; one of the two, once. */
    interface Attached {
        void attached();

        void refused(int status, String why);
    }

    /**
     * @param topics the topic, or its partitions in their order
     * @param links to the nodes that serve them
     */
    abstract void attach(List<String> topics, List<GatewayLink> links, Attached then);

    /** The client is there. */
    abstract void started();

    /** The client says something. */
    abstract void text(String text);

    /** Whether messages are wanted, for all that the socket does itself. */
    boolean hasRoom() {
        return true;
    }

    /** The socket is closed; what it holds is given up. */
    abstract void stopped();

    final Links links() {
        return links;
    }

    final void start(ClientSocket with) {
        client = with;
        if (stopped) {
            with.close(GOING_AWAY, "the server closes the connection");
            return;
        }
        with.read(links.reads());
        pinging = links.loop().scheduleWithFixedDelay(() -> look(with), PING_SECONDS, PING_SECONDS, TimeUnit.SECONDS);
        started();
    }

    private void look(ClientSocket with) {
        with.ping();
        links.look();
    }

    final boolean isStopped() {
        return stopped;
    }

    final void say(String text) {
        if (client != null && !stopped) {
            client.send(text);
        }
    }

    /** Ends the socket because of what its client did. */
    final void reject(String why) {
        end(BAD_DATA, why);
    }

    private void end(int code, String why) {
        if (client != null) {
            client.close(code, why);
        }
        links.end();
    }

    /** Ends it so that its client connects again. */
    final void restart(String why) {
        end(RESTART, why);
    }

    final Future<?> schedule(Runnable task, long millis) {
        return links.loop().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    // ---- from the gateway

    @Override
    public final boolean takes() {
        return client == null || client.hasRoom() && hasRoom();
    }

    @Override
    public final void ended() {
        restart("the topic is not served here any more");
    }

    @Override
    public final void ping() {
        if (client == null) {
            links.heard();
        } else {
            client.ping();
        }
    }

    @Override
    public final void reads(boolean on) {
        if (client != null) {
            client.read(on);
        }
    }

    @Override
    public final void overloaded() {
        restart("there is no memory for more messages now");
    }

    @Override
    public final void nodeLost(@Nullable String why) {
        end(why == null ? RESTART : POLICY, why == null ? "the node that serves the topic is not there any more" : why);
    }

    @Override
    public final void closed(@Nullable String why) {
        stopped = true;
        if (pinging != null) {
            pinging.cancel(false);
        }
        stopped();
        if (client != null) {
            client.close(
                    why == null ? GOING_AWAY : POLICY, Objects.requireNonNullElse(why, "the connection is closed"));
        }
    }

    /** Answers of several requests: the first refusal counts, else the last success. */
    static final class All implements GatewayLink.Answer {
        private final Attached then;
        private int missing;
        private boolean refused;

        All(int requests, Attached then) {
            this.missing = requests;
            this.then = then;
        }

        @Override
        public void done(BaseCommand command) {
            missing--;
            if (missing == 0 && !refused) {
                then.attached();
            }
        }

        @Override
        public void refused(ServerError error, String message) {
            if (!refused) {
                refused = true;
                then.refused(HandshakeErrors.status(error), message);
            }
        }
    }
}
