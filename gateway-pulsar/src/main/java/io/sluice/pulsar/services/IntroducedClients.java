package io.sluice.pulsar.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.PeerQuestion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that another node has let in, and for which it is about to connect here. Each is known by a ticket, which is good for one connection, for
 * half a minute. Any thread.
 *
 * <p>The other node goes on to ask the client who it is: it ends what it has opened here when the client's login ends.
 */
public final class IntroducedClients implements PeerHandler {
    /** Method by which a connection shows its ticket in CONNECT. */
    public static final String METHOD = "sluice-introduced";

    /** Newest form of the question. */
    public static final int VERSION = 0;

    private static final int TICKET_BYTES = 32;
    /** Tickets that are not used; each has a few hundred bytes. */
    private static final int MOST = 10_000;

    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LongSupplier clock;
    /** By ticket, the oldest first. */
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

    /** @param clock as {@link System#nanoTime} tells it */
    public IntroducedClients(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * A client of another node.
     *
     * @param address from which the client has come to that node
     */
    public record Introduced(Principal principal, InetSocketAddress address) {}

    private record Waiting(Introduced client, long since) {}

    /** Question by which a node has another one expect a client; the answer is the ticket. */
    public static PeerQuestion question(Principal client, InetSocketAddress address) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(address.getAddress().getAddress().length);
        out.writeBytes(address.getAddress().getAddress());
        out.writeShort(address.getPort());
        write(out, client.itself());
        Principal proxy = client.proxy();
        out.writeBoolean(proxy != null);
        if (proxy != null) {
            write(out, proxy);
        }
        return new PeerQuestion(PeerKinds.INTRODUCE_CLIENT, (short) VERSION, ByteBufUtil.getBytes(out));
    }

    private static void write(ByteBuf out, Principal who) {
        Packed.writeString(out, who.name());
        Packed.writeUnsigned(out, who.groups().size());
        who.groups().forEach(each -> Packed.writeString(out, each));
        Packed.writeString(out, who.authentication().name());
        Packed.writeString(out, who.listener());
        Packed.writeString(out, who.host());
    }

    private static Introduced read(byte[] question) {
        ByteBuf in = Unpooled.wrappedBuffer(question);
        byte[] digits = new byte[in.readByte()];
        in.readBytes(digits);
        int port = in.readUnsignedShort();
        Principal client = readPrincipal(in);
        try {
            return new Introduced(
                    in.readBoolean() ? client.through(readPrincipal(in)) : client,
                    new InetSocketAddress(InetAddress.getByAddress(digits), port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + digits.length + " bytes");
        }
    }

    private static Principal readPrincipal(ByteBuf in) {
        String name = Packed.readString(in);
        Set<String> groups = new HashSet<>();
        for (int left = Packed.readCount(in); left > 0; left--) {
            groups.add(Packed.readString(in));
        }
        Authentication way = Authentication.valueOf(Packed.readString(in));
        return new Principal(name, groups, way, Packed.readString(in), Packed.readString(in));
    }

    @Override
    public CompletableFuture<byte[]> answer(Asked asked) {
        Introduced client;
        try {
            client = read(asked.body());
        } catch (RuntimeException e) { // of whatever does not parse
            return CompletableFuture.failedFuture(
                    new PeerException(Reason.REFUSED, "a client that is not described as it should be: " + e));
        }
        byte[] ticket = new byte[TICKET_BYTES];
        RANDOM.nextBytes(ticket);
        return add(ticket, client)
                ? CompletableFuture.completedFuture(ticket)
                : CompletableFuture.failedFuture(
                        new PeerException(Reason.OVERLOADED, "too many clients of other nodes are about to connect"));
    }

    private synchronized boolean add(byte[] ticket, Introduced client) {
        long now = clock.getAsLong();
        Iterator<Waiting> oldest = waiting.values().iterator();
        while (oldest.hasNext() && isOver(oldest.next(), now)) {
            oldest.remove();
        }
        if (waiting.size() >= MOST) {
            return false;
        }
        waiting.put(ByteBufUtil.hexDump(ticket), new Waiting(client, now));
        return true;
    }

    private static boolean isOver(Waiting client, long now) {
        return now - client.since > PATIENCE_NANOS;
    }

    /** Removes and returns the client of a ticket; null if there is none, or it has waited too long. */
    public synchronized @Nullable Introduced take(byte[] ticket) {
        Waiting found = waiting.remove(ByteBufUtil.hexDump(ticket));
        return found == null || isOver(found, clock.getAsLong()) ? null : found.client;
    }
}
