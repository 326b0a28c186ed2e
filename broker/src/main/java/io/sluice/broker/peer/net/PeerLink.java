package io.sluice.broker.peer.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.timeout.IdleStateHandler;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.peer.PeerAddresses;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.PeerQuestion;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions to one other node over one connection, which is made for the first question and again after it broke.
 *
 * <pre>
 *   ask ─► bounds ─► loop: waiting, until the other end has agreed to the hello ─► sent ─► answered, late, or the connection lost
 * </pre>
 */
final class PeerLink {
    private static final Logger log = LoggerFactory.getLogger(PeerLink.class);

    /** After a failure to connect, questions fail at once for so long. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Until a connection is made again to stay, where the machine does not answer, or the node will not have this one. */
    private static final long LONG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final String STOPS = "this node stops";

    private final int node;
    private final Setup setup;
    private final EventLoop loop;
    private final AtomicInteger open = new AtomicInteger();
    private final HeldBytes asked;

    // On the loop.
    private final Deque<Ask> waiting = new ArrayDeque<>();
    private final Map<Integer, Ask> sent = new HashMap<>();
    private @Nullable Channel channel;
    private @Nullable Endpoint endpoint;
    private boolean resolving;
    private boolean ready;
    private boolean closed;
    private int nextCorrelation = 1;
    private long failedAt;
    private @Nullable String failure;
    private String logged = "";
    private boolean stays;

    private volatile @Nullable Long refusedAt;

    /**
     * Parts that all links share.
     *
     * @param bootstrap connects
     * @param resolver runs look-ups of names, which block
     * @param answers bytes of answers on their way in
     */
    record Setup(
            PeerIdentity self,
            PeerAddresses addresses,
            Bootstrap bootstrap,
            Executor resolver,
            PeerLimits limits,
            PeerTrust trust,
            HeldBytes answers) {}

    PeerLink(int node, Setup setup, EventLoop loop) {
        this.node = node;
        this.setup = setup;
        this.loop = loop;
        this.asked = new HeldBytes(setup.limits().bytes());
    }

    /** Any thread. */
    CompletableFuture<byte[]> ask(PeerQuestion question, Duration timeout) {
        Ask ask = new Ask(question, System.nanoTime() + timeout.toNanos());
        if (open.incrementAndGet() > setup.limits().questions()) {
            open.decrementAndGet();
            ask.fail(Reason.OVERLOADED, setup.limits().questions() + " questions to node " + node + " are open");
            return ask.answer;
        }
        if (!asked.tryTake(ask.bytes())) {
            open.decrementAndGet();
            ask.fail(Reason.OVERLOADED, asked.held() + " bytes of questions to node " + node + " are not answered");
            return ask.answer;
        }
        ask.answer.whenComplete((answer, why) -> {
            open.decrementAndGet();
            asked.give(ask.bytes());
        });
        if (!onLoop(() -> begin(ask, timeout))) {
            ask.fail(Reason.UNREACHABLE, STOPS);
        }
        return ask.answer;
    }

    /** False if the loop has ended with this node. */
    private boolean onLoop(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void begin(Ask ask, Duration timeout) {
        if (closed) {
            ask.fail(Reason.UNREACHABLE, STOPS);
            return;
        }
        ask.timer(loop.schedule(() -> late(ask), timeout.toNanos(), TimeUnit.NANOSECONDS));
        ask.answer.whenComplete((answer, why) -> onLoop(() -> forget(ask)));
        followAddress();
        if (ready) {
            send(ask);
            flush();
            return;
        }
        waiting.add(ask);
        if (channel == null && !resolving) {
            connect();
        }
    }

    private void late(Ask ask) {
        if (ask.sent) {
            ask.fail(Reason.TIMED_OUT, "node " + node + " has not answered in time");
        } else {
            ask.fail(Reason.UNREACHABLE, "no connection to node " + node + " was made in time");
        }
    }

    private void forget(Ask ask) {
        ask.stopTimer();
        if (ask.sent) {
            sent.remove(ask.correlation, ask);
        } else {
            waiting.remove(ask);
        }
    }

    /** A node that was started again elsewhere is not asked at its earlier address. */
    private void followAddress() {
        Channel now = channel;
        Endpoint there = setup.addresses().of(node);
        if (now != null && there != null && !there.equals(endpoint)) {
            lost(now, "node " + node + " has moved to " + there);
        }
    }

    /** Any thread. */
    void stayConnected(boolean stay) {
        onLoop(() -> {
            stays = stay;
            followAddress();
            connectToStay();
        });
    }

    private void connectToStay() {
        if (stays && !closed && channel == null && !resolving) {
            connect();
        }
    }

    /** See {@link io.sluice.broker.cluster.Refusals#refusedAt}. */
    OptionalLong refusedAt() {
        Long at = refusedAt;
        return at == null ? OptionalLong.empty() : OptionalLong.of(at);
    }

    private void connect() {
        Endpoint to = setup.addresses().of(node);
        if (to == null) {
            failWaiting(Reason.UNREACHABLE, "no address of node " + node + " is known");
            return;
        }
        if (failure != null && to.equals(endpoint) && System.nanoTime() - failedAt < PAUSE_NANOS) {
            failWaiting(Reason.UNREACHABLE, failure);
            return;
        }
        endpoint = to;
        resolving = true;
        setup.resolver().execute(() -> {
            InetSocketAddress address =
                    new InetSocketAddress(to.host(), to.port()); // blocks while the name is looked up
            onLoop(() -> connect(to, address));
        });
    }

    private void connect(Endpoint to, InetSocketAddress address) {
        resolving = false;
        if (closed || waiting.isEmpty() && !stays) {
            return;
        }
        if (address.isUnresolved()) {
            failedToConnect("node " + node + " cannot be reached: " + to.host() + " has no address");
            return;
        }
        ChannelFuture connecting = setup.bootstrap()
                .clone(loop)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        setup.trust().asker(made, setup.limits().connect());
                        long quiet = setup.limits().quiet().toMillis();
                        made.pipeline()
                                .addLast(new IdleStateHandler(quiet, 0, 0, TimeUnit.MILLISECONDS))
                                .addLast(new LinkConnection(PeerLink.this, setup));
                    }
                })
                .connect(address);
        Channel connection = connecting.channel();
        channel = connection;
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                if (isRefusal(done.cause())) {
                    refusedAt = System.nanoTime();
                }
                lost(connection, "node " + node + " cannot be reached at " + to + ": " + reason(done.cause()));
            }
        });
    }

    /** Whether the other machine is there and said that nothing listens at the address. */
    private static boolean isRefusal(Throwable why) {
        return why instanceof ConnectException && reason(why).contains("Connection refused");
    }

    private void failedToConnect(String why) {
        failure = why;
        failedAt = System.nanoTime();
        failWaiting(Reason.UNREACHABLE, why);
        if (stays) {
            loop.schedule(
                    this::connectToStay, refusedAt == null ? LONG_PAUSE_NANOS : PAUSE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private static String reason(Throwable why) {
        return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    // ---- told by the connection, on the loop ----

    int node() {
        return node;
    }

    /** The other end is the node that is meant. */
    void agreed(Channel from) {
        if (from != channel) {
            return;
        }
        ready = true;
        failure = null;
        refusedAt = null;
        logged = "";
        for (Ask next = waiting.poll(); next != null; next = waiting.poll()) {
            send(next);
        }
        flush();
    }

    /** The other end will not have this node; asked again that would be no different. */
    void refused(Channel from, String why) {
        if (from == channel) {
            String line = "node " + node + " at " + endpoint + " refuses this node: " + why;
            warn(line);
            failWaiting(Reason.REFUSED, line);
            lost(from, line);
        }
    }

    /** One end does not take the other for a node, which may pass: certificates and secrets are changed while nodes run. */
    void distrusted(Channel from, String why) {
        if (from == channel) {
            String line = "no trust between this node and node " + node + " at " + endpoint + ": " + why;
            warn(line);
            lost(from, line);
        }
    }

    /** Once, until there is a connection. */
    private void warn(String line) {
        if (!line.equals(logged)) {
            log.warn("Cannot ask another node: {}", line);
            logged = line;
        }
    }

    void answered(int correlation, byte status, byte[] body) {
        Ask ask = sent.remove(correlation);
        if (ask == null) {
            return; // late
        }
        if (status == Frames.OK) {
            ask.answer.complete(body);
        } else {
            ask.fail(Frames.reason(status), Frames.line(body));
        }
    }

    /** There is no room for the answer here. */
    void unread(int correlation) {
        Ask ask = sent.remove(correlation);
        if (ask != null) {
            ask.fail(Reason.TIMED_OUT, "the answer of node " + node + " has no room here");
        }
    }

    boolean hasAsked(int correlation) {
        return correlation > 0 && correlation < nextCorrelation;
    }

    /** The connection is used no more. */
    void lost(Channel from, String why) {
        from.close();
        if (from != channel) {
            return;
        }
        boolean wasReady = ready;
        nextCorrelation = 1;
        channel = null;
        ready = false;
        List<Ask> broken = new ArrayList<>(sent.values());
        sent.clear();
        broken.forEach(ask -> ask.fail(Reason.CONNECTION_LOST, why));
        if (wasReady) {
            failWaiting(Reason.UNREACHABLE, why);
            connectToStay();
        } else {
            failedToConnect(why);
        }
    }

    private void failWaiting(Reason reason, String why) {
        List<Ask> all = new ArrayList<>(waiting);
        waiting.clear();
        all.forEach(ask -> ask.fail(reason, why));
    }

    private void send(Ask ask) {
        Channel to = channel;
        if (to == null || ask.answer.isDone()) {
            return;
        }
        if (nextCorrelation == Integer.MAX_VALUE) {
            lost(to, "the connection to node " + node + " has had all its questions");
            ask.fail(Reason.UNREACHABLE, "asked again, a new connection is made");
            return;
        }
        ask.correlation = nextCorrelation;
        nextCorrelation = Math.incrementExact(nextCorrelation);
        ask.sent = true;
        sent.put(ask.correlation, ask);
        PeerQuestion question = ask.question;
        ByteBuf frame = Frames.question(
                to.alloc(), ask.correlation, question.kind(), question.version(), ask.millisLeft(), question.body());
        to.write(frame);
    }

    private void flush() {
        Channel to = channel;
        if (to != null) {
            to.flush();
        }
    }

    /** Any thread. */
    void close() {
        onLoop(() -> {
            closed = true;
            Channel now = channel;
            if (now != null) {
                lost(now, STOPS);
            }
            failWaiting(Reason.UNREACHABLE, STOPS);
        });
    }
}
