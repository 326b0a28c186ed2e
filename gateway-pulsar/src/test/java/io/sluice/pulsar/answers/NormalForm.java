package io.sluice.pulsar.answers;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of an answer that is the same each time: values that change from run to run, or that count bytes as they are stored,
 * become the name of their type. Fields and lists of texts are sorted, as servers list them in any order.
 */
final class NormalForm {
    /** Depend on when a server last looked, and on how fast it is, so that even 0 says nothing. */
    private static final Set<String> RATES = Set.of(
            "averageMsgSize",
            "chunkedMessageRate",
            "lastCompactionDurationTimeInMills",
            "messageAckRate",
            "msgRateExpired",
            "msgRateIn",
            "msgRateOut",
            "msgRateRedeliver",
            "msgThroughputIn",
            "msgThroughputOut");

    /** Of places and processes, and of bytes with what a server stores around them; 0 and empty stay. */
    private static final Set<String> CHANGING = Set.of(
            "address",
            "backlogSize",
            "bookieId",
            "brokerId",
            "brokerServiceUrl",
            "brokerUrl",
            "bytesInCounter",
            "bytesOutCounter",
            "clientVersion",
            "currentLedgerSize",
            "cursorLedger",
            "httpUrl",
            "ledgerId",
            "nativeUrl",
            "nonContiguousDeletedMessagesRangesSerializedSize",
            "producerId",
            "serviceUrl",
            "servlet",
            "size",
            "storageSize",
            "totalSize");

    private static final Set<String> POSITIONS = Set.of(
            "firstMessageId",
            "individuallyDeletedMessages",
            "lastConfirmedEntry",
            "lastMessageId",
            "markDeletePosition",
            "readPosition");

    private static final Pattern TIME_NAME = Pattern.compile(
            ".*(Timestamp|TimeStamp|Time|TimeInBacklogs?)|timestamp|creationDate|modificationDate|connectedSince|createdAtMs|sealedAtMs");
    private static final String NEVER = "1970-01-01T00:00:00Z";
    private static final Pattern LEDGER = Pattern.compile("\\d+:");
    private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:\\d+");
    private static final String PARSER = "[Source: REDACTED";
    private static final String TRACE = "Stacktrace:";

    private NormalForm() {}

    /** @return maps, lists, texts, numbers, truth values */
    static @Nullable Object of(String contentType, String body) {
        if (body.isEmpty()) {
            return null;
        }
        if (contentType.equals("text/html")) {
            return "<page>";
        }
        try {
            return normal("", plain(Json.decodeValue(body)));
        } catch (DecodeException e) {
            return unparsed(body.strip());
        }
    }

    /** Of a message, with its headers. */
    static Object ofMessage(Map<String, String> headers, String body) {
        Map<String, @Nullable Object> shown = new TreeMap<>();
        headers.forEach((name, value) -> shown.put(
                name,
                switch (name) {
                    case "message-id" -> LEDGER.matcher(value).replaceAll("<ledger>:");
                    case "publish-time" -> "<time>";
                    case "batch-size" -> "<size>";
                    case "property" -> normal("", plain(Json.decodeValue(value)));
                    default -> value;
                }));
        return new TreeMap<>(Map.of("headers", shown, "body", body));
    }

    /** Vert.x's objects as maps and lists. */
    static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case JsonObject o -> o.getMap();
            case JsonArray a -> a.getList();
            case null, default -> value;
        };
    }

    private static @Nullable Object normal(String name, @Nullable Object value) {
        return switch (plain(value)) {
            case null -> null;
            case Map<?, ?> fields -> {
                Map<String, @Nullable Object> sorted = new TreeMap<>();
                fields.forEach((k, v) -> sorted.put(String.valueOf(k), normal(String.valueOf(k), v)));
                yield sorted;
            }
            case List<?> items ->
                sorted(items.stream().map(i -> normal(name, i)).toList());
            case Object o when RATES.contains(name) -> type(o);
            case Number n when n.doubleValue() <= 0 -> n;
            case Number n when TIME_NAME.matcher(name).matches() -> "<time>";
            case Object o when CHANGING.contains(name) && !o.equals("") -> type(o);
            case String text -> text(name, text);
            case Object o -> o;
        };
    }

    private static String type(Object value) {
        return "<" + Kind.of(value) + ">";
    }

    private static String text(String name, String value) {
        if (TIME_NAME.matcher(name).matches()) {
            return value.equals(NEVER) ? value : "<time>";
        }
        if (POSITIONS.contains(name)) {
            return LEDGER.matcher(value).replaceAll("<ledger>:");
        }
        return value.contains(TRACE) ? "<stack trace>" : ADDRESS.matcher(value).replaceAll("<address>");
    }

    /** What a parser says is its own affair; Jetty's error pages are no valid JSON where the message has line ends. */
    private static String unparsed(String body) {
        if (body.contains(PARSER)) {
            return "<parser's message>";
        }
        return body.startsWith("{") ? "<broken JSON>" : body;
    }

    private static List<@Nullable Object> sorted(List<@Nullable Object> items) {
        boolean texts = items.stream().allMatch(String.class::isInstance);
        Stream<@Nullable Object> all = items.stream();
        return new ArrayList<>((texts ? all.sorted() : all).toList());
    }
}
