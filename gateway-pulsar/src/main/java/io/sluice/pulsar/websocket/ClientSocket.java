package io.sluice.pulsar.websocket;

import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket of a client: it is on Vert.x's loop, and its users are on that of their {@link Links}. What goes either way between the
 * two is bounded, and counted in the {@link SocketMemory}.
 */
final class ClientSocket {
    /** Codes of WebSocket. */
    private static final short PROTOCOL_ERROR = 1002;

    private static final int TOO_LARGE = 1009;
    private static final int TRY_AGAIN_LATER = 1013;

    /** Characters for the client that are not sent, with which no more messages are taken. */
    private static final long UNSENT = 64 * 1024;
    /** Texts of the client that are not looked at, and their characters, with which it is not read. */
    private static final int WAITING = 16;

    private static final long WAITING_CHARACTERS = 64 * 1024;
    /** That WebSocket's close frame has room for. */
    private static final int REASON_BYTES = 120;

    private final ServerWebSocket socket;
    private final Context context;
    private final Links links;
    private final SocketMemory.Share memory;
    private final int largest;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingCharacters = new AtomicLong();
    private volatile boolean wanted = true;
    /** Frames that have come of a message of several; on Vert.x's loop. */
    private @Nullable Buffer parts;

    private boolean isText;
    /** On the links' loop. */
    private long unsent;

    /**
     * @param memory of this socket, which is given back with it
     * @param largest bytes of a message
     */
    ClientSocket(ServerWebSocket socket, Context context, Links links, SocketMemory.Share memory, int largest) {
        this.socket = socket;
        this.context = context;
        this.links = links;
        this.memory = memory;
        this.largest = largest;
    }

    /** On Vert.x's loop. The consumers are called on the links' loop. */
    void start(HttpConnection connection, Consumer<String> text, Runnable heard, Runnable closed) {
        ArrivingBytes arriving = new ArrivingBytes(memory, this::endForMemory);
        // Vert.x has no other way to what a decoder collects
        ((ConnectionBase) connection).channel().pipeline().addFirst(arriving);
        // in place of Vert.x's own, which counts nothing
        socket.frameHandler(frame -> {
            arriving.arrived(frame);
            switch (frame.type()) {
                case PONG -> links.execute(heard);
                case TEXT, BINARY, CONTINUATION -> collect(frame, text);
                default -> {
                    // is answered by Vert.x
                }
            }
        });
        socket.exceptionHandler(why -> socket.close(
                why instanceof CorruptedWebSocketFrameException bad
                        ? (short) bad.closeStatus().code()
                        : PROTOCOL_ERROR));
        socket.closeHandler(_ -> {
            memory.close();
            links.execute(closed);
        });
        adjust();
    }

    /** On Vert.x's loop. */
    private void collect(WebSocketFrame frame, Consumer<String> text) {
        if (!frame.isContinuation()) {
            isText = frame.isText();
            parts = null;
        }
        if (parts == null && frame.isFinal()) {
            if (isText) {
                take(frame.textData(), text);
            }
            return;
        }
        Buffer all = parts == null ? Buffer.buffer() : parts;
        all.appendBuffer(frame.binaryData());
        parts = frame.isFinal() ? null : all;
        if (all.length() > largest) {
            close(TOO_LARGE, "the message is too large");
        } else if (frame.isFinal() && isText) {
            take(all.toString(StandardCharsets.UTF_8), text);
        }
    }

    /** On Vert.x's loop. */
    private void take(String message, Consumer<String> text) {
        int size = message.length();
        waiting.incrementAndGet();
        waitingCharacters.addAndGet(size);
        adjust();
        if (!memory.take(size)) {
            endForMemory();
            return;
        }
        links.execute(() -> {
            waiting.decrementAndGet();
            waitingCharacters.addAndGet(-size);
            memory.give(size);
            text.accept(message);
            context.runOnContext(_ -> adjust());
        });
    }

    /** On Vert.x's loop: whether the client is read. */
    private void adjust() {
        if (!wanted || waiting.get() >= WAITING || waitingCharacters.get() >= WAITING_CHARACTERS) {
            socket.pause();
        } else {
            socket.resume();
        }
    }

    /** Whether the client is to be read. Any thread. */
    void read(boolean on) {
        wanted = on;
        context.runOnContext(_ -> adjust());
    }

    private void endForMemory() {
        close(TRY_AGAIN_LATER, "there is no memory for more messages now");
        links.execute(links::end);
    }

    /** Whether there is room for more messages. On the links' loop, as all that follows. */
    boolean hasRoom() {
        return unsent < UNSENT;
    }

    void send(String text) {
        int size = text.length();
        unsent += size;
        if (!memory.take(size)) {
            endForMemory();
            return;
        }
        context.runOnContext(_ -> socket.writeTextMessage(text).onComplete(_ -> links.execute(() -> sent(size))));
    }

    private void sent(int size) {
        boolean full = !hasRoom();
        unsent -= size;
        memory.give(size);
        if (full && hasRoom()) {
            links.resume();
        }
    }

    void ping() {
        context.runOnContext(_ -> socket.writePing(Buffer.buffer("PING")));
    }

    /** Any thread. */
    void close(int code, String reason) {
        byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
        String fits = bytes.length <= REASON_BYTES
                ? reason
                : new String(bytes, 0, REASON_BYTES, StandardCharsets.UTF_8).replace("\uFFFD", "");
        context.runOnContext(_ -> {
            if (!socket.isClosed()) {
                socket.close((short) code, fits);
            }
        });
    }
}
