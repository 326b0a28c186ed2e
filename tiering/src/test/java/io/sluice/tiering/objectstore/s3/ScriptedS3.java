package io.sluice.tiering.objectstore.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** As much of S3 as the store uses, and what a real server does not do on demand. Checks no signatures. */
final class ScriptedS3 implements AutoCloseable {
    private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

    private final HttpServer http;
    private final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();
    private volatile Script script = (right, n) -> null;
    private volatile int requests;
    private volatile String lastSignature = "";

    /** What goes wrong. */
    sealed interface Fault {
        /** An answer in the protocol's form, or with no code in none. */
        record Refused(int status, String code) implements Fault {}

        /** Of a deletion: the request succeeds, its first key does not. */
        record NotThatOne(String code) implements Fault {}

        /** One of three bytes of the answer, then the connection ends. */
        record Torn() implements Fault {}

        /** No answer, until the server is closed. */
        record Silent() implements Fault {}
    }

    /** Decides; null lets the request succeed. {@code n} counts requests from 0 since the script was set. */
    interface Script {
        @Nullable
        Fault next(String right, int n);
    }

    ScriptedS3() throws IOException {
        http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext("/", this::handle);
        http.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    synchronized void script(Script next) {
        script = next;
        requests = 0;
    }

    int requests() {
        return requests;
    }

    /** Who signed the last request, and with which session: two headers as they came. */
    String lastSignature() {
        return lastSignature;
    }

    private synchronized @Nullable Fault fault(String right) {
        return script.next(right, requests++);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String key = exchange.getRequestURI().getPath();
            String right = right(exchange);
            lastSignature = exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + exchange.getRequestHeaders().getFirst("X-Amz-Security-Token");
            switch (fault(right)) {
                case Fault.Refused(int status, String code) ->
                    answer(exchange, status, code.isEmpty() ? "no" : error(code));
                case Fault.Silent() -> park();
                case Fault.Torn() -> {
                    exchange.sendResponseHeaders(206, 3);
                    exchange.getResponseBody().write('x');
                    exchange.getResponseBody().flush();
                }
                case Fault.NotThatOne(String code) ->
                    answer(
                            exchange,
                            200,
                            "<DeleteResult><Error><Key>" + key(body) + "</Key><Code>" + code
                                    + "</Code><Message>no</Message></Error></DeleteResult>");
                case null -> succeed(exchange, right, key, body);
            }
        }
    }

    private void succeed(HttpExchange exchange, String right, String key, byte[] body) throws IOException {
        switch (right) {
            case "s3:PutObject" -> {
                objects.put(key, body);
                answer(exchange, 200, "");
            }
            case "s3:DeleteObject" -> {
                objects.remove(exchange.getRequestURI().getPath() + "/" + key(body));
                answer(exchange, 200, "<DeleteResult></DeleteResult>");
            }
            case "s3:ListBucket" ->
                answer(
                        exchange,
                        200,
                        "<ListBucketResult><IsTruncated>false</IsTruncated>"
                                + objects.keySet().stream()
                                        .map(each -> "<Contents><Key>" + each.substring(each.indexOf('/', 1) + 1)
                                                + "</Key><Size>1</Size></Contents>")
                                        .collect(Collectors.joining())
                                + "</ListBucketResult>");
            default -> range(exchange, objects.get(key));
        }
    }

    private static void range(HttpExchange exchange, byte @Nullable [] object) throws IOException {
        if (object == null) {
            answer(exchange, 404, error("NoSuchKey"));
            return;
        }
        String[] range =
                exchange.getRequestHeaders().getFirst("Range").substring(6).split("-");
        byte[] part = Arrays.copyOfRange(object, Integer.parseInt(range[0]), Integer.parseInt(range[1]) + 1);
        exchange.sendResponseHeaders(206, part.length);
        exchange.getResponseBody().write(part);
    }

    private static String right(HttpExchange exchange) {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        return switch (exchange.getRequestMethod()) {
            case "PUT" -> "s3:PutObject";
            case "POST" -> "s3:DeleteObject";
            default -> query.contains("list-type") ? "s3:ListBucket" : "s3:GetObject";
        };
    }

    private static String key(byte[] deletion) {
        Matcher matcher = KEY.matcher(new String(deletion, StandardCharsets.UTF_8));
        return matcher.find() ? matcher.group(1) : "";
    }

    private static String error(String code) {
        return "<Error><Code>" + code + "</Code><Message>as the script says</Message></Error>";
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private synchronized void park() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            notifyAll();
        }
        http.stop(0);
    }
}
