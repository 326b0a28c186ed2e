package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A WebSocket of Java's own client. It is read as far as messages are asked for. */
final class SocketClient implements WebSocket.Listener, AutoCloseable {
    private static final long SOON = 30;

    private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    private final StringBuilder partial = new StringBuilder();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final WebSocket socket;
    private final boolean reads;

    private SocketClient(String url, boolean reads, HttpClient.Builder http) {
        this.reads = reads;
        try {
            this.socket = http.build()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create(url), this)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                throw new RefusedException(
                        refused.getResponse().statusCode(),
                        String.valueOf(refused.getResponse().body()));
            }
            throw e;
        }
    }

    /** The server has answered the handshake with a status of HTTP. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        RefusedException(int status, String body) {
            super(status + " " + body);
            this.status = status;
        }
    }

    /** @param url from {@code http://} on */
    static SocketClient open(String url) {
        return open(url, HttpClient.newBuilder());
    }

    static SocketClient open(String url, HttpClient.Builder http) {
        return new SocketClient(url.replaceFirst("http", "ws"), true, http);
    }

    /** One that takes nothing from its connection. */
    static SocketClient openUnread(String url) {
        return new SocketClient(url.replaceFirst("http", "ws"), false, HttpClient.newBuilder());
    }

    /** Status with which a handshake is refused. */
    static int refusal(String url) {
        try (SocketClient unexpected = open(url)) {
            return 101;
        } catch (RefusedException e) {
            return e.status;
        }
    }

    @Override
    public void onOpen(WebSocket opened) {
        if (reads) {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            texts.add(partial.toString());
            partial.setLength(0);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(-1);
    }

    void send(String text) {
        socket.sendText(text, true).join();
    }

    void sendParts(String first, String second) {
        socket.sendText(first, false).join();
        socket.sendText(second, true).join();
    }

    void sendPart(String part) {
        socket.sendText(part, false);
    }

    boolean isClosed() {
        return closed.isDone();
    }

    void sendPing() {
        socket.sendPing(ByteBuffer.allocate(0)).join();
    }

    void send(JsonObject message) {
        send(message.encode());
    }

    JsonObject next() throws InterruptedException {
        String text = texts.poll(SOON, TimeUnit.SECONDS);
        if (text == null) {
            throw new AssertionError("nothing has come");
        }
        return new JsonObject(text);
    }

    /** The next message, acknowledged. */
    JsonObject take() throws InterruptedException {
        JsonObject message = next();
        acknowledge(message);
        return message;
    }

    void acknowledge(JsonObject message) {
        send(JsonObject.of("messageId", message.getString("messageId")));
    }

    /** Whether nothing has come. */
    boolean isQuiet() {
        return texts.isEmpty();
    }

    /** Code with which the server closes the socket; -1 if it closes the connection. */
    int closeCode() throws Exception {
        return closed.get(SOON, TimeUnit.SECONDS);
    }

    static String payload(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    static String content(JsonObject message) {
        return new String(Base64.getDecoder().decode(message.getString("payload")), UTF_8);
    }

    @Override
    public void close() {
        socket.abort();
    }
}
