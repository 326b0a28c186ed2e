package io.sluice.kafka.transaction.scripts;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares what two servers answered to the same scripts. What is known to differ, and why: docs/results/answers-beside-kafka-and-pulsar.md. */
final class Differences {
    private static final Pattern PRODUCE = Pattern.compile(
            "produce v(?<version>\\d+) (?<id>\\S*) (?<producer>[^/ ]+)\\S* to (?<partition>\\d) at (?<sequence>\\d+)\\b.* -> .*"
                    + "index=\\d, errorCode=(?<error>\\w+),.*");
    /** As the scripts' records have it. */
    private static final String REPEATED = "logAppendTimeMs=1000";

    private static final int CONTEXT = 40;

    private final List<String> unknown = new ArrayList<>();
    private final Map<Known, Integer> known = new TreeMap<>();
    private int equal;

    /** Of answers that differ. */
    private enum Known {
        /** Kafka tells a batch's time where a repeated one is answered; here no time of a batch is kept. */
        TIME_OF_A_REPEATED_BATCH(true),
        /** Both refuse. Kafka looks at the partition's epoch before the coordinator is asked, and for an id before it looks for the topic. */
        REASON_TO_REFUSE(true),
        /** Of a transaction that the server has aborted: fatal there, and as later versions have it here (KAFKA-20785). */
        COMMIT_OF_WHAT_WAS_ABORTED(true),
        /** Kafka remembers which protocol a producer spoke when it was refused; only in the second the first sequence must be 0. */
        FIRST_SEQUENCE_AFTER_THE_OTHER_PROTOCOL(false),
        /** Kafka remembers the sequence of a batch that was not appended, in any epoch, or a repeated one, and takes none after it. */
        SEQUENCE_AFTER_ONE_THAT_WAS_NOT_APPENDED(false);

        /** Whether both servers are in the same state afterwards. */
        private final boolean harmless;

        Known(boolean harmless) {
            this.harmless = harmless;
        }
    }

    void compare(long seed, List<String> kafka, List<String> ours) {
        for (int at = 0; at < kafka.size(); at++) {
            if (kafka.get(at).equals(ours.get(at))) {
                equal++;
                continue;
            }
            Known difference = knownOf(kafka.subList(0, at), kafka.get(at), ours.get(at));
            if (difference == null) {
                unknown.add(words(seed, at, kafka, ours.get(at)));
                return;
            }
            known.merge(difference, 1, Integer::sum);
            if (!difference.harmless) {
                return;
            }
        }
    }

    private static @Nullable Known knownOf(List<String> before, String kafka, String ours) {
        if (kafka.replace(REPEATED, "logAppendTimeMs=-1").equals(ours)) {
            return Known.TIME_OF_A_REPEATED_BATCH;
        }
        if (kafka.startsWith("commit v5")
                && kafka.replace("=INVALID_TXN_STATE", "=PRODUCER_FENCED").equals(ours)) {
            return Known.COMMIT_OF_WHAT_WAS_ABORTED;
        }
        Matcher there = PRODUCE.matcher(kafka);
        Matcher here = PRODUCE.matcher(ours);
        if (!there.matches() || !here.matches()) {
            return null;
        }
        String errors = there.group("error") + ", " + here.group("error");
        return switch (errors) {
            case "INVALID_PRODUCER_EPOCH, INVALID_PRODUCER_ID_MAPPING",
                    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION" -> Known.REASON_TO_REFUSE;
            case "NONE, OUT_OF_ORDER_SEQUENCE_NUMBER" -> afterTheOtherProtocol(before, there);
            case "OUT_OF_ORDER_SEQUENCE_NUMBER, NONE" ->
                before.stream().anyMatch(line -> wasNotAppended(line, there))
                        ? Known.SEQUENCE_AFTER_ONE_THAT_WAS_NOT_APPENDED
                        : afterTheOtherProtocol(before, there);
            default -> null;
        };
    }

    private static @Nullable Known afterTheOtherProtocol(List<String> before, Matcher there) {
        return before.stream().anyMatch(line -> wasRefusedInTheOtherProtocol(line, there))
                ? Known.FIRST_SEQUENCE_AFTER_THE_OTHER_PROTOCOL
                : null;
    }

    private static boolean wasRefusedInTheOtherProtocol(String line, Matcher later) {
        Matcher earlier = PRODUCE.matcher(line);
        return ofSamePartition(earlier, later)
                && isSecondProtocol(earlier) != isSecondProtocol(later)
                && !earlier.group("error").equals("NONE");
    }

    private static boolean isSecondProtocol(Matcher produce) {
        return produce.group("version").equals("12");
    }

    private static boolean wasNotAppended(String line, Matcher later) {
        Matcher earlier = PRODUCE.matcher(line);
        boolean repeated = line.contains(REPEATED);
        return ofSamePartition(earlier, later)
                && (repeated || !earlier.group("error").equals("NONE"))
                && Integer.parseInt(earlier.group("sequence")) < Integer.parseInt(later.group("sequence"));
    }

    private static boolean ofSamePartition(Matcher earlier, Matcher later) {
        return earlier.matches()
                && earlier.group("producer").equals(later.group("producer"))
                && earlier.group("partition").equals(later.group("partition"));
    }

    private static String words(long seed, int at, List<String> kafka, String ours) {
        StringBuilder words = new StringBuilder("seed " + seed + ", step " + at);
        kafka.subList(Math.max(0, at - CONTEXT), at)
                .forEach(step -> words.append("\n    ").append(step));
        return words.append("\n  < ")
                .append(kafka.get(at))
                .append("\n  > ")
                .append(ours)
                .toString();
    }

    /** Of each script the first answer that differs otherwise than is known, with what came before. */
    List<String> unknown() {
        return unknown;
    }

    int equal() {
        return equal;
    }

    @Override
    public String toString() {
        return String.join("\n", unknown) + "\n" + equal + " answers are equal, " + known + " differ as is known, "
                + unknown.size() + " scripts differ otherwise";
    }
}
