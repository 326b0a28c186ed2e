package io.sluice.broker.topic;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Topic names as Pulsar clients write them, with the suffix {@code -partition-N}. */
public final class PulsarNames {
    private static final String PERSISTENT = "persistent://";
    private static final String NON_PERSISTENT = "non-persistent://";
    private static final String SEGMENT = "segment://";
    private static final String SCALABLE = "topic://";
    private static final String SUFFIX = "-partition-";
    /** First and last hash, and the number in its topic. */
    private static final Pattern DESCRIPTOR = Pattern.compile("[0-9a-f]{4}-[0-9a-f]{4}-(0|[1-9][0-9]{0,17})");

    private static final Pattern NAMED_ENTITY = Pattern.compile("[-=:.\\w]{1,255}");
    /** Room for the path of a metadata record and of a log line. */
    private static final int MAX_LOCAL = 512;

    private PulsarNames() {}

    /**
     * A topic or one of its partitions.
     *
     * @param partition -1 if the name has no {@code -partition-N}
     */
    public record Parsed(TopicName topic, int partition) {}

    /**
     * Reads {@code persistent://tenant/namespace/local}, {@code tenant/namespace/local} or {@code local}, and names of scalable segments,
     * {@code segment://tenant/namespace/local/0000-ffff-0}.
     *
     * @throws TopicException INVALID_NAME for anything else: v1 names with a cluster, non-persistent topics ({@link #parseNonPersistent})
     */
    public static Parsed parse(String name) throws TopicException {
        if (name.startsWith(SEGMENT)) {
            return new Parsed(segment(name), -1);
        }
        String[] parts = withoutDomain(name).split("/", -1);
        TopicName whole = switch (parts.length) {
            case 1 -> TopicName.ofDefault(parts[0]);
            case 3 -> new TopicName(parts[0], parts[1], parts[2]);
            default -> throw invalid(name, "expected persistent://tenant/namespace/topic");
        };
        int partition = partitionOf(whole.local());
        Parsed parsed = partition < 0
                ? new Parsed(whole, -1)
                : new Parsed(new TopicName(whole.tenant(), whole.namespace(), base(whole.local())), partition);
        check(parsed.topic());
        return parsed;
    }

    /** Whether it names a topic whose messages are not kept; nothing of the catalogue has such a name. */
    public static boolean isNonPersistent(String name) {
        return name.startsWith(NON_PERSISTENT);
    }

    /**
     * Reads {@code non-persistent://tenant/namespace/local}. The topic has the name of the one that would be kept, and is another.
     *
     * @throws TopicException INVALID_NAME for anything else
     */
    public static Parsed parseNonPersistent(String name) throws TopicException {
        String rest = isNonPersistent(name) ? name.substring(NON_PERSISTENT.length()) : "";
        if (rest.chars().filter(c -> c == '/').count() != 2) {
            throw invalid(name, "expected non-persistent://tenant/namespace/topic");
        }
        return parse(PERSISTENT + rest);
    }

    /** The full name of a topic that is not kept, or of a partition of one. */
    public static String ofNonPersistent(Parsed name) {
        return NON_PERSISTENT + text(name).substring(PERSISTENT.length());
    }

    private static TopicName segment(String name) throws TopicException {
        String[] parts = name.substring(SEGMENT.length()).split("/", -1);
        if (parts.length != 4) {
            throw invalid(name, "expected segment://tenant/namespace/topic/hash-hash-number");
        }
        TopicName segment = new TopicName(parts[0], parts[1], parts[2] + "/" + parts[3]);
        check(segment);
        return segment;
    }

    /**
     * A name by which clients look a scalable topic up.
     *
     * @param scalable whether it can be nothing else: {@code topic://}
     */
    public record Sought(TopicName topic, boolean scalable) {}

    /**
     * Reads {@code topic://tenant/namespace/local}, or a name of a classic topic that may have a scalable one beside it.
     *
     * @throws TopicException INVALID_NAME for anything else, partitions included
     */
    public static Sought parseScalable(String name) throws TopicException {
        boolean scalable = isScalable(name);
        Parsed parsed = parse(scalable ? PERSISTENT + name.substring(SCALABLE.length()) : name);
        if (parsed.partition() >= 0 || parsed.topic().isSegment()) {
            throw invalid(name, "a partition or a segment is not a topic by itself; use the name of its topic");
        }
        return new Sought(parsed.topic(), scalable);
    }

    /** Whether the name can be that of a scalable topic only. */
    public static boolean isScalable(String name) {
        return name.startsWith(SCALABLE);
    }

    /** As clients of scalable topics name it. */
    public static String ofScalable(TopicName topic) {
        return SCALABLE + topic.tenant() + "/" + topic.namespace() + "/" + topic.local();
    }

    private static String withoutDomain(String name) throws TopicException {
        int domain = name.indexOf("://");
        if (domain < 0) {
            return name;
        }
        if (!name.startsWith(PERSISTENT)) {
            throw invalid(name, "only persistent topics are served");
        }
        return name.substring(PERSISTENT.length());
    }

    /** The full name, with the partition's suffix if it has one. */
    public static String text(Parsed name) {
        return name.partition() < 0 ? name.topic().toString() : ofPartition(name.topic(), name.partition());
    }

    /** The full name of a partition. */
    public static String ofPartition(TopicName topic, int partition) {
        return topic + SUFFIX + partition;
    }

    /** N of {@code ...-partition-N}, a decimal number without leading zeros; -1 if there is none. */
    public static int partitionOf(String local) {
        int at = local.lastIndexOf(SUFFIX);
        if (at < 1) {
            return -1;
        }
        String number = local.substring(at + SUFFIX.length());
        boolean plain = !number.isEmpty()
                && number.length() <= 9
                && number.chars().allMatch(c -> c >= '0' && c <= '9')
                && (number.length() == 1 || number.charAt(0) != '0');
        return plain ? Integer.parseInt(number) : -1;
    }

    private static String base(String local) {
        return local.substring(0, local.lastIndexOf(SUFFIX));
    }

    /**
     * Checks a topic's name by the rules both protocols need; see docs/adr/0006.
     *
     * @throws TopicException INVALID_NAME
     */
    public static void check(TopicName name) throws TopicException {
        String why = fault(name);
        if (why != null) {
            throw invalid(name.toString(), why);
        }
    }

    /** Whether a tenant, a namespace or a cluster may have this name: Pulsar's rule, with a bound on the length. */
    public static boolean isNamedEntity(String name) {
        return NAMED_ENTITY.matcher(name).matches();
    }

    private static @Nullable String fault(TopicName name) {
        if (!isNamedEntity(name.tenant()) || !isNamedEntity(name.namespace())) {
            return "tenant and namespace have 1 to 255 of the characters a-z A-Z 0-9 _ - = : .";
        }
        if (name.isSegment()
                && !isDescriptor(name.local().substring(name.local().indexOf('/') + 1))) {
            return "a segment is named topic/hash-hash-number, with hashes of four hexadecimal digits";
        }
        String local = name.whole().local();
        if (local.isBlank() || local.length() > MAX_LOCAL) {
            return "a topic's name has 1 to " + MAX_LOCAL + " characters, not all of them spaces";
        }
        if (local.chars().anyMatch(c -> c == '/' || c < ' ' || c == 0x7f || Character.isSurrogate((char) c))) {
            return "a topic's name has no slash and no control characters";
        }
        if (local.equals(".") || local.equals("..")) {
            return "a topic cannot be named . or ..";
        }
        return partitionOf(local) >= 0 ? "a name that ends in -partition-N is that of a partition" : null;
    }

    private static boolean isDescriptor(String text) {
        return DESCRIPTOR.matcher(text).matches() && text.substring(0, 4).compareTo(text.substring(5, 9)) <= 0;
    }

    private static TopicException invalid(String name, String why) {
        String shown = name.length() > 200 ? name.substring(0, 200) + "..." : name;
        return new TopicException(TopicException.Reason.INVALID_NAME, "invalid topic name '" + shown + "': " + why);
    }
}
