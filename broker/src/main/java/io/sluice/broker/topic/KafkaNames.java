package io.sluice.broker.topic;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of topics in the Kafka protocol; the reasons are in docs/adr/0006.
 *
 * <pre>
 *   persistent://public/default/orders       orders
 *   persistent://acme/shop/orders.v1_eu      _ns.acme.shop.orders.v1__eu
 *   persistent://public/default/a:b          _ns.public.default.a_3Ab
 * </pre>
 */
public final class KafkaNames {
    /** Begins the name of every topic that cannot go by its local name. */
    static final String PREFIX = "_ns.";

    /** Begins the ids of groups that stand for Pulsar's subscriptions. */
    public static final String SUBSCRIPTIONS = "_sub.";

    private static final int MAX_LENGTH = 249;
    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1," + MAX_LENGTH + "}");
    /** Kafka's own topics: their users rely on no client having made them. */
    private static final Set<String> RESERVED =
            Set.of("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata");

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private KafkaNames() {}

    /**
     * The name Kafka clients use, or null if it would be longer than Kafka allows, or is a scalable segment: Kafka does not see that topic.
     */
    public static @Nullable String of(TopicName topic) {
        if (topic.isSegment()) {
            return null;
        }
        if (topic.inDefaultNamespace() && isPlain(topic.local())) {
            return topic.local();
        }
        StringBuilder name = new StringBuilder(beginningIn(topic.tenant(), topic.namespace()));
        escape(topic.local(), true, name);
        return name.length() <= MAX_LENGTH ? name.toString() : null;
    }

    /** Beginning of the Kafka names of a namespace's topics, but for those of the default namespace that go by their local names. */
    public static String beginningIn(String tenant, String namespace) {
        StringBuilder name = new StringBuilder(beginningIn(tenant));
        escape(namespace, false, name);
        return name.append('.').toString();
    }

    /** Beginning of the Kafka names of a tenant's topics, with the exception that {@link #beginningIn(String, String)} has. */
    public static String beginningIn(String tenant) {
        StringBuilder name = new StringBuilder(PREFIX);
        escape(tenant, false, name);
        return name.append('.').toString();
    }

    /**
     * The reverse of {@link #of}.
     *
     * @throws TopicException INVALID_NAME if this is not the Kafka name of any topic
     */
    public static TopicName parse(String kafkaName) throws TopicException {
        if (isPlain(kafkaName)) {
            return TopicName.ofDefault(kafkaName);
        }
        TopicName topic = isLegal(kafkaName) ? unescape(kafkaName.substring(PREFIX.length())) : null;
        if (topic == null || !kafkaName.equals(of(topic))) {
            String shown = kafkaName.length() > MAX_LENGTH ? kafkaName.substring(0, MAX_LENGTH) + "..." : kafkaName;
            throw new TopicException(TopicException.Reason.INVALID_NAME, "invalid topic name '" + shown + "'");
        }
        return topic;
    }

    /** Whether the name is kept for a topic that the system makes for itself; no client of either protocol creates it. */
    public static boolean isReserved(TopicName name) {
        return name.inDefaultNamespace() && RESERVED.contains(name.local());
    }

    /** Whether a Kafka name stands for the topic of that name in the default namespace. */
    private static boolean isPlain(String name) {
        return isLegal(name) && !name.startsWith(PREFIX);
    }

    private static boolean isLegal(String name) {
        return LEGAL.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    private static void escape(String part, boolean last, StringBuilder out) {
        for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c == '_') {
                out.append("__");
            } else if (isKept(c) || last && c == '.') {
                out.append(c);
            } else {
                HEX.toHexDigits(out.append('_'), b);
            }
        }
    }

    private static boolean isKept(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-';
    }

    private static @Nullable TopicName unescape(String parts) {
        String[] part = parts.split("\\.", 3);
        if (part.length < 3) {
            return null;
        }
        String tenant = unescapePart(part[0]);
        String namespace = unescapePart(part[1]);
        String local = unescapePart(part[2]);
        if (tenant == null || namespace == null || local == null) {
            return null;
        }
        boolean named = PulsarNames.isNamedEntity(tenant) && PulsarNames.isNamedEntity(namespace);
        return named ? new TopicName(tenant, namespace, local) : null;
    }

    private static @Nullable String unescapePart(String part) {
        byte[] out = new byte[part.length()];
        int size = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c != '_') {
                out[size++] = (byte) c;
            } else if (part.startsWith("_", i + 1)) {
                out[size++] = '_';
                i++;
            } else if (i + 2 < part.length()
                    && HexFormat.isHexDigit(part.charAt(i + 1))
                    && HexFormat.isHexDigit(part.charAt(i + 2))) {
                out[size++] = (byte) HexFormat.fromHexDigits(part, i + 1, i + 3);
                i += 2;
            } else {
                return null;
            }
        }
        return new String(out, 0, size, StandardCharsets.UTF_8);
    }
}
